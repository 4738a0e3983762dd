"""A trace as a table: a line for each event, to read in a terminal.

The numbers of steps, of tasks and of futures are those of the page: so one can go from one to the
other.
"""
from __future__ import annotations

from shapes import shown
from steps import step_numbers
from traces import Trace

HEADER = f"{'step':>6} {'turn':>5} {'ms':>10}  {'on the thread':<20}  what happens"
ENDS_IN_MIDDLE = "(Here the trace was cut off.)"


def text_of(trace: Trace) -> str:
    lines = [HEADER]
    names = Names()
    running: list[str] = []     # who has the thread; none: the loop, or main before it
    for event, step in zip(trace.events, step_numbers(trace)):
        kind = (event["event"], event.get("phase"))
        if kind[0] in ("trace", "end"):
            continue
        names.meet(event)
        if kind[0] == "select":
            running.clear()  # whoever an exception has thrown off the stack
        who = running[-1] if running else "main" if event["turn"] == 0 else "the loop"
        what = "  ".join(filter(None, (wording(event, names), event.get("at"))))
        when = f"{event['turn']:>5} {event['t'] / 1000:>10.3f}"
        lines.append(shown(f"{step or '':>6} {when}  {who:<20}  {what}"))
        follow(running, event, names)
    if trace.cut_off:
        lines.append(ENDS_IN_MIDDLE)
    return "\n".join(lines) + "\n"


class Names(dict[int, str]):
    """Of tasks and futures, by id. Each has a number, in the order in which they are met. Futures
    that are tasks, too, count as tasks."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = {"task": 0, "future": 0}

    def meet(self, event: dict) -> None:
        kind, own = event["event"], event.get("id")
        if kind == "generator" and own not in self:  # the page takes it for a task
            self.counts["task"] += 1
            self[own] = f"generator {self.counts['task']}"
        self.add("task", own if kind == "task" else event.get("task"))
        if kind == "task" and event.get("phase") == "new":
            self[own] = f"{self.number_of(own)} ({event.get('name', '?')})"
        self.add("future", own if kind == "future" else event.get("awaiting", event.get("future")))

    def add(self, kind: str, number: int | None) -> None:
        if number is None or number in self:
            return
        self.counts[kind] += 1
        self[number] = f"{kind} {self.counts[kind]}"

    def number_of(self, task_id: int) -> str:
        """Without the function's name: "task 3"."""
        return self[task_id].partition(" (")[0]


def follow(running: list[str], event: dict, names: Names) -> None:
    """Who has the thread after this event?"""
    kind, phase = event["event"], event.get("phase")
    if kind == "callback" and phase == "begin":
        running.append(f"callback {event['name']}")
    elif kind == "task" and phase == "step":
        running.append(names.number_of(event["id"]))
    elif kind == "generator" and phase == "resume":
        running.append(names[event["id"]])
    elif kind == "generator" and phase in ("yield", "end"):
        leave(running, names[event["id"]])
    elif kind == "callback" and phase == "end":
        leave(running, f"callback {event['name']}")
    elif kind == "task" and phase in ("suspend", "done"):
        leave(running, names.number_of(event["id"]))


def leave(running: list[str], who: str) -> None:
    """It has no longer the thread, nor have those inside, which an exception has ended."""
    if who in running:
        del running[len(running) - 1 - running[::-1].index(who):]


# ---- One event in words -----------------------------------------------------------------


def wording(event: dict, names: Names) -> str:
    """What happens in this event."""
    kind, phase = event["event"], event.get("phase")
    words = WORDS.get((kind, phase)) or WORDS.get((kind, None))
    return words(event, names) if words else " ".join(filter(None, (kind, phase)))


def task(event: dict, names: Names, key: str = "id") -> str:
    return names.get(event.get(key), "a task")


def innermost(event: dict) -> str:
    place = event["chain"][-1] if event.get("chain") else None
    return f", in {place['name']}  {place['at']}" if place else ""


def awaited(event: dict, names: Names) -> str:
    does = f"waits for {names[event['awaiting']]}" if "awaiting" in event else "lets others go first"
    return f"{task(event, names)} {does}{innermost(event)}"


def select(event: dict, _names: Names) -> str:
    limit = event["timeout_ms"]
    patience = {None: "for ever", 0: "not at all"}.get(limit, f"for {limit} ms at most")
    return f"select: {event['fds']} watched, to wait {patience}"


def future_end(verb: str):
    def words(event: dict, names: Names) -> str:
        waiters = {0: "nothing waits for it", 1: "one waits for it"}.get(
            event.get("waiters"), f"{event.get('waiters')} wait for it")
        return f"{names[event['id']]} {verb}: {waiters}"
    return words


def fetch_end(event: dict, _names: Names) -> str:
    status = event["status"] if event.get("status") is not None else event.get("error", "no answer")
    leads = f", leads to {event['next']}" if event.get("next") else ""
    return f"fetch {event['id']} ends: {event['url']}  {status}, {event['bytes']} bytes{leads}"


def queue(event: dict, _names: Names) -> str:
    item = f" {event['item']}" if event.get("item") else ""
    waiting = f"; {event['getters']} wait to get, {event['putters']} to put"
    return (f"queue: {event['phase']}{item} ({event['size']} in it, "
            f"{event['unfinished']} unfinished{waiting})")


def watch(event: dict, _names: Names) -> str:
    if event.get("name") == "mailbox":
        return f"the mailbox, a pipe ({event['fd']}), is watched"
    end = f"for {event['name']}" if event["phase"] == "add" else "no more"
    return f"socket {event['fd']} is watched ({event['events']}) {end}"


def callback_begin(event: dict, _names: Names) -> str:
    return f"calls {event['name']}" + (f" for socket {event['fd']}" if "fd" in event else "")


def callback_end(event: dict, _names: Names) -> str:
    return f"{event['name']} " + ("is left by an exception" if event.get("threw") else "returns")


def generator(event: dict, names: Names) -> str:
    who = names[event["id"]]
    word = f" {event['word']}" if event.get("word") else ""
    by = event.get("by", "?")
    phase = event["phase"]
    if phase in ("next", "send", "throw"):
        return f"{by} calls {phase}({word.strip()}) on {who}"
    if phase == "reply":
        return f"{by} gets the reply of {who}: {event.get('how', '?')}{word}"
    return {
        "new": f"{who} is made: {event.get('name', '?')}",
        "resume": f"{who} resumes",
        "take": f"{who} takes{word}",
        "yield": f"{who} yields{word}{innermost(event)}",
        "end": f"{who} has ended: {event.get('how', '?')}{word}",
        "gone": f"{who} is destroyed",
    }.get(phase, f"generator {phase}")


def schedule(event: dict, names: Names) -> str:
    who = task(event, names, "task") if "task" in event else event.get("name", "?")
    return f"into the ready queue: {who}"


WORDS = {
    ("watch", None): watch,
    ("select", None): select,
    ("awake", None): lambda e, n: f"awake: {e['ready']} ready",
    ("ready", None): lambda e, n: f"socket {e['fd']} is ready ({e['events']})",
    ("callback", "begin"): callback_begin,
    ("callback", "end"): callback_end,
    ("generator", None): generator,
    ("schedule", None): schedule,
    ("schedule", "cancel"): lambda e, n: f"call {e['call']} is taken back",
    ("timer", "set"): lambda e, n: f"timer {e['call']} is set: {e['name']} in {e['in_ms']:g} ms",
    ("timer", "due"): lambda e, n: f"timer {e['call']} is due",
    ("timer", "cancel"): lambda e, n: f"timer {e['call']} is taken back",
    ("future", "new"): lambda e, n: f"{n[e['id']]} is new",
    ("future", "resolve"): future_end("has its result"),
    ("future", "fail"): future_end("has failed"),
    ("future", "cancel"): future_end("is cancelled"),
    ("task", "new"): lambda e, n: f"{task(e, n)} is new: {e.get('function', '?')}",
    ("task", "step"): lambda e, n: f"{task(e, n)} makes a step",
    ("task", "suspend"): awaited,
    ("task", "cancel"): lambda e, n: f"{task(e, n)} is asked to end",
    ("task", "done"): lambda e, n: f"{task(e, n)} is done: {e.get('outcome', '?')}",
    ("coroutine", "call"): lambda e, n: f"calls {e['name']}, from {e.get('from', '?')}",
    ("coroutine", "return"): lambda e, n: f"{e['name']} returns to {e.get('from', '?')}",
    ("queue", None): queue,
    ("fetch", "start"): lambda e, n: f"fetch {e['id']} begins: {e['url']}",
    ("fetch", "end"): fetch_end,
}
