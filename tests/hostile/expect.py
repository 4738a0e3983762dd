"""What must come out: of each URL, its record.

A text is exactly what the record has; a pattern (`like`) is found in it as a whole.
"""
import dataclasses
import re

DEAD = ("error", "failed")


@dataclasses.dataclass(frozen=True)
class Expected:
    """A record's outcome, status and error; and other fields, if they matter."""
    outcome: "str | re.Pattern"
    status: "int | None"
    error: "str | re.Pattern | None" = None
    fields: dict = dataclasses.field(default_factory=dict)

    @property
    def is_dead(self):
        return self.outcome in DEAD


def page(**fields):
    return Expected("page", fields.pop("status", 200), None, fields)


def file(status=200, **fields):
    return Expected("file", status, None, fields)


def redirect(status=302, **fields):
    return Expected("redirect", status, None, fields)


def disallowed(error="disallowed by robots.txt", **fields):
    return Expected("disallowed", None, error, fields)


def error(status, words=None, **fields):
    """The server has answered, and said no. `words`: "HTTP status 404" goes without saying."""
    return Expected("error", status, words or f"HTTP status {status}", fields)


def failed(words, status=None, **fields):
    """There is no whole answer. `status`: if it came at least."""
    return Expected("failed", status, words, fields)


def like(pattern):
    return re.compile(pattern, re.DOTALL)


TIMED_OUT = like(r"timed out after \S+ s")


def fits(wanted, value):
    """Is this what was wanted?"""
    return wanted.fullmatch(value or "") is not None if isinstance(wanted, re.Pattern) else wanted == value
