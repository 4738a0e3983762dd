"""nginx for as long as the body of a `with`: in a folder of its own, on a port of 127.0.0.1, with one worker process.

    with nginx(folder, f"server {{ listen 127.0.0.1:{port}; root {folder}/site; }}", port):
        ...
"""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "practice_site"))
from practice_site import ended_at_last  # noqa: E402

# Debian keeps it where only root's PATH leads.
PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")

CONFIGURATION = """
{user} {before}
worker_processes 1; daemon off; error_log {folder}/errors; pid {folder}/nginx.pid;
events {{ worker_connections {connections}; }}
http {{
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    {http}
}}
"""


def free_port():
    """A port that is not in use now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def nginx(folder, http, port, before="", connections=4096, core=None):
    """`http`, `before`: what its configuration has inside of `http`, and before that. `core`: that it's bound to.
    Returns the process. Raises RuntimeError if it doesn't answer."""
    configuration, said = folder / "nginx.conf", folder / "errors"
    configuration.write_text(CONFIGURATION.format(
        folder=folder, http=http, before=before, connections=connections,
        user="user root;" if os.geteuid() == 0 else ""), encoding="utf-8")  # as another user, it couldn't read the folder

    def in_the_child():
        if core is not None:
            os.sched_setaffinity(0, [core])
        if sys.platform == "linux":  # it ends if we do, however that comes
            ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    with open(said, "ab") as errors:
        process = subprocess.Popen([PROGRAM, "-p", folder, "-c", configuration], stdin=subprocess.DEVNULL,
                                   stderr=errors, preexec_fn=in_the_child)
    with ended_at_last(process):
        for _ in range(200):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                break
            if process.poll() is not None:
                raise RuntimeError("nginx has ended: " + said.read_text(encoding="utf-8"))
            time.sleep(0.05)
        else:
            raise RuntimeError("nginx does not answer: " + said.read_text(encoding="utf-8"))
        yield process
