"""What a hostile server sends: see tests/support/web_server.py. Redirects may also lead to a case's other servers."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from web_server import KEEP, Forever, Pause, Reset, Silence, Site, http, ok, page, status  # noqa: E402, F401


def redirect(to, status=302):
    """`to` is sent as it is, except that "{other}" and the like are filled in as in cases.py."""
    return lambda request: [http(f"HTTP/1.1 {status} Elsewhere", f"Location: {request.site.served.fill_in(to)}",
                                 "Content-Length: 0"), KEEP]
