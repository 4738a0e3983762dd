"""hold.py LIMITS PROGRAM [ARGUMENT...]: becomes that program, under tighter limits.

LIMITS is JSON: {"memory": bytes, "file": bytes, "descriptors": how many, "taken": how many of these are in use}; each may
be missing.
"""
import json
import os
import resource
import signal
import sys


def main():
    limits, command = json.loads(sys.argv[1]), sys.argv[2:]
    os.closerange(3, 256)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and the program would inherit that
        signal.signal(number, signal.SIG_DFL)
    for name, limit in {"memory": resource.RLIMIT_AS, "file": resource.RLIMIT_FSIZE,
                        "descriptors": resource.RLIMIT_NOFILE}.items():
        if name in limits:
            resource.setrlimit(limit, (limits[name], limits[name]))
    for number in range(3, 3 + limits.get("taken", 0)):
        os.dup2(0, number)
    os.execv(command[0], command)


main()
