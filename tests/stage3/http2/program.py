"""The program under test, and whether its libcurl is one that it trusts with HTTP/2."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
STAGE3 = os.environ.get("STAGE3") or str(ROOT / "build/stage3_queue_crawler/stage3")
CERTIFICATE = ROOT / "tests/support/tls/certificate.pem"
KEY = ROOT / "tests/support/tls/key.pem"
SKIPPED = 77  # what meson takes for "skipped"


def is_trusted():
    """It isn't with libcurl 7.88: that takes a response that GOAWAY cuts off for a whole one, may wait in vain for more
    than 16 kB of headers, opens a connection per worker where a new one would do, and doesn't always reset a stream
    that it has given up."""
    nowhere = [STAGE3, "--http2", "--max-tries", "1", "http://127.0.0.1:1/"]
    return "unlike 8.14" not in subprocess.run(nowhere, capture_output=True, text=True, check=False).stderr


def command(url, *options):
    return [STAGE3, "--cacert", str(CERTIFICATE), "--format", "jsonl", "--quiet", *map(str, options), url]
