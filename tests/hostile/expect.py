"""The expected record of each URL.

A text must equal what the record has; a pattern (`like`) must match all of it.
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
    """The server answers with an error. `words`: by default "HTTP status 404" or the like."""
    return Expected("error", status, words or f"HTTP status {status}", fields)


def unclear(words, status=None, **fields):
    """The server refuses to say. `status`: if it was asked."""
    return Expected("unclear", status, words, fields)


def failed(words, status=None, **fields):
    """There is no whole answer. `status`: if at least that arrived."""
    return Expected("failed", status, words, fields)


def like(pattern):
    return re.compile(pattern, re.DOTALL)


TIMED_OUT = like(r"timed out after \S+ s")


def fits(wanted, value):
    """Is this what was wanted?"""
    return wanted.fullmatch(value or "") is not None if isinstance(wanted, re.Pattern) else wanted == value
