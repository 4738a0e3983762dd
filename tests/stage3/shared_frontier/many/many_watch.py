"""What Redis knows about a running crawl: how far it is, and which processes take part.

All of it is in the keys that the head of frontier.lua lists. Reading these disturbs no process.
"""
from dataclasses import dataclass, field

import invariants


@dataclass
class Session:
    """A process's part in the crawl: from when it came until it left, or was lost."""
    pid: int
    held: list = field(default_factory=list)  # the URLs that it holds
    done: int = 0
    ending: str = ""  # "left" or "lost" when it has ended


@dataclass(frozen=True)
class Event:
    """An entry of the crawl's history. `what`: "came", "left" or "lost". `time` is as of time.time()."""
    time: float
    what: str
    pid: int
    urls: int  # how many it held


def pid_of(name):
    """A process's name is "HOST, pid N"."""
    return int(name.rsplit(" ", 1)[1])


class Watch:
    """The state at the last `look`."""

    def __init__(self, client, crawl):
        self._client, self._prefix = client, f"{{{crawl}}}:"
        self._last = "-"  # as far as the history was read
        self.known = self.unfinished = self.records = 0
        self.is_over = False
        self.reporter = None  # the pid of the process that writes the report
        self.sessions = {}

    def look(self):
        """Looks again. Returns the events since the last look."""
        meta, history = self._client.call_all([
            ["HMGET", self._prefix + "meta", "known", "unfinished", "records", "state", "reporter"],
            ["XRANGE", self._prefix + "history", self._last, "+"]])
        self.known, self.unfinished, self.records = (int(value or 0) for value in meta[:3])
        self.is_over = meta[3] == "complete"
        events = [self._note(entry, invariants.pairs(flat)) for entry, flat in history]
        if meta[4]:
            self.reporter = self.sessions[meta[4]].pid
        self._look_at_sessions()
        return events

    def _note(self, entry, fields):
        self._last = "(" + entry
        pid = pid_of(fields["name"])
        session = self.sessions.setdefault(fields["session"], Session(pid))
        if fields["what"] != "came":
            session.ending = fields["what"]
            session.held = []
        return Event(int(entry.split("-")[0]) / 1000, fields["what"], pid, int(fields["urls"]))

    def _look_at_sessions(self):
        present = [name for name, session in self.sessions.items() if not session.ending]
        if not present:
            return
        answers = self._client.call_all(
            [["HGET", f"{self._prefix}session:{name}", "done"] for name in present]
            + [["HKEYS", f"{self._prefix}held:{name}"] for name in present])
        for name, done, held in zip(present, answers, answers[len(present):]):
            if done is not None:  # None means that it has ended between our two calls
                self.sessions[name].done, self.sessions[name].held = int(done), held

    def of(self, pid):
        """A process's sessions, in order. One that was lost but still lives has a second one."""
        return [session for session in self.sessions.values() if session.pid == pid]

    def are_finished(self, urls):
        """Which of these URLs have their records."""
        if not urls:
            return set()
        values = self._client.call("HMGET", self._prefix + "urls", *urls)
        return {url for url, value in zip(urls, values) if value and value[0] in "fd"}
