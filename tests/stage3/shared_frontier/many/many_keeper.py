"""Clears up after a program, however that program ends.

A program that is ended by kill -9 can't end the processes that it has started, or remove its folders. So a small
process, the keeper, gets the names of these, and waits until its standard input ends. That happens when the program is
gone, whatever the reason. Then the keeper clears up, so that the program itself need not.
"""
import os
import shutil
import signal
import subprocess
import sys


class Keeper:
    """`with Keeper() as keeper:`. At the block's end, all processes and folders that it knows of are gone."""

    def __init__(self):
        self._started = []
        # It gets its own session, so that Ctrl-C doesn't end it before the others.
        self._process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, text=True,
                                         start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        for process in self._started:
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
            if process.stdout is not None:
                process.stdout.close()

    def start(self, command, **pipes):
        """Starts a process that won't outlive us."""
        # It's the new process that tells the keeper: we may be killed before we could.
        process = subprocess.Popen(command, preexec_fn=lambda: self._tell("process", os.getpid()), **pipes)
        self._started.append(process)
        return process

    def end_at_last(self, pid):
        """Adds a process that another one has started."""
        self._tell("process", pid)

    def has_ended(self, process):
        """True if one of our processes has ended. The keeper must know, since its number may be used again."""
        if process.poll() is None:
            return False
        self._tell("ended", process.pid)
        return True

    def remove_at_last(self, folder):
        self._tell("folder", folder)

    def _tell(self, *words):
        print(*words, file=self._process.stdin, flush=True)


def main():
    pids, folders = set(), []
    for line in sys.stdin:
        what, name = line.rstrip("\n").split(" ", 1)
        if what == "process":
            pids.add(int(name))
        elif what == "ended":
            pids.discard(int(name))
        else:
            folders.append(name)
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended by itself
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
