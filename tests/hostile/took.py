"""took.py SECONDS DESCRIPTORS PROGRAM [ARGUMENT...]: runs a program, and tells what it took.

The last line on its stderr is "took: STATUS SECONDS PEAK": the status as a shell has it (128 and more: the signal that
ended it; "late" if it was still there after so many seconds, and was killed), and the peak of its memory in bytes.
DESCRIPTORS: how many it may have; 0: as many as we.

Why a program of its own? To Linux, what a process occupies when it forks counts as its child's peak, whatever program
that becomes. This one imports next to nothing.
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
    signal.signal(signal.SIGTERM, end)  # who gives us up doesn't leave the program behind
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    told = "late" if late else code if code >= 0 else 128 - code
    # In bytes on macOS, in units of 1024 elsewhere.
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    os.write(2, f"\ntook: {told} {time.monotonic() - begun:.3f} {peak}\n".encode())


main()
