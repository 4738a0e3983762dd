"""The program under test, and whether its libcurl is one that it trusts with HTTP/2."""
import pathlib
import sys

SUPPORT = pathlib.Path(__file__).resolve().parents[2] / "support"
sys.path.append(str(SUPPORT))
from run_stage3 import PROGRAM, records_in, run_stage3  # noqa: E402, F401

CERTIFICATE = SUPPORT / "tls/certificate.pem"
KEY = SUPPORT / "tls/key.pem"
SKIPPED = 77  # what meson takes for "skipped"


def is_trusted():
    """It isn't with libcurl 7.88: that takes a response that GOAWAY cuts off for a whole one, may wait in vain for more
    than 16 kB of headers, opens a connection per worker where a new one would do, and doesn't always reset a stream
    that it has given up."""
    return "unlike 8.14" not in run_stage3("--http2", "--max-tries", "1", "http://127.0.0.1:1/").stderr


def words(url, *options):
    """Of a command line, after the program."""
    return ["--cacert", str(CERTIFICATE), "--format", "jsonl", "--quiet", *map(str, options), url]


def crawl(url, *options, **how):
    return run_stage3(*words(url, *options), **how)
