"""took.py SECONDS DESCRIPTORS PROGRAM [ARGUMENT...]: runs a program, and reports what it took.

The last line on its stderr is "took: STATUS SECONDS PEAK". STATUS is the exit status as in a shell (128 plus a signal's
number if a signal ended it), or "late" if it was still running after SECONDS and was killed; PEAK is the peak of its
memory in bytes. DESCRIPTORS says how many it may have; 0 means as many as this program.

This is a separate program because Linux counts the memory of a process that forks as part of its child's peak, whatever
program the child becomes, and this one imports next to nothing.
"""
import os
import resource
import signal
import sys
import time


def main():
    seconds, descriptors, command = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        try:
            os.execv(command[0], command)
        except OSError as error:
            os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)
    late = []

    def end(*_):
        late.append(True)
        os.kill(child, signal.SIGKILL)
    signal.signal(signal.SIGALRM, end)
    signal.signal(signal.SIGTERM, end)  # if this process is ended, it ends the program, too
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    told = "late" if late else code if code >= 0 else 128 - code
    # In bytes on macOS, in units of 1024 elsewhere.
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    os.write(2, f"\ntook: {told} {time.monotonic() - begun:.3f} {peak}\n".encode())


main()
