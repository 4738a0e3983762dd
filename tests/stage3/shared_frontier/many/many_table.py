"""The table that `./learn many` shows: its text at a given moment, and how it is drawn on a screen."""
import shlex
import shutil
import sys
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

sys.path.append(str(Path(__file__).resolve().parents[3] / "setup"))
from terminal import on_terminal, say, width  # noqa: E402

BOLD, RED, PLAIN = "\033[1m", "\033[31m", "\033[0m"


@dataclass
class Row:
    """A process. `state` is one of: starting, fetching, waiting, dead, taken over, left."""
    number: int
    pid: int
    state: str
    held: list = field(default_factory=list)  # URLs
    done: int = 0


@dataclass
class View:
    """Everything that is shown."""
    rows: list
    known: int = 0
    unfinished: int = 0
    records: int = 0
    happened: list = field(default_factory=list)  # (seconds since the beginning, text)


def path_of(url):
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def as_many_as_fit(paths, width):
    """As many paths as fit, and dots if there are more."""
    texts = (" ".join(paths[:count]) + " …" * (count < len(paths)) for count in range(len(paths), 0, -1))
    return next((text for text in texts if len(text) <= width), "")


def row_line(row, columns):
    start = f"{row.number:>7}  {row.pid:>8}  {row.state:<10}  {len(row.held):>5}  {row.done:>6,}"
    paths = [path_of(url) for url in sorted(row.held, key=lambda url: (len(url), url))]
    return f"{start}   {as_many_as_fit(paths, columns - len(start) - 3)}".rstrip()


def moment_lines(seconds, text, columns):
    """The time and text of an event, in as many lines as needed."""
    start = f"{seconds:>7.1f} s  "
    return textwrap.wrap(text, columns, initial_indent=start, subsequent_indent=" " * len(start))


def command_lines(command, columns):
    """A command as it can be typed, in as many lines as needed. A word that is too long stays whole."""
    text = [f"$ {shlex.quote(command[0])}"]
    for word in map(shlex.quote, command[1:]):
        if len(f"{text[-1]} {word} \\") > columns:
            text[-1] += " \\"
            text.append("    " + word)
        else:
            text[-1] += " " + word
    return text


def lines(view, columns, colours=False):
    """The table, in lines of at most `columns` columns."""
    titles = f"{'process':>7}  {'pid':>8}  {'state':<10}  {'holds':>5}  {'done':>6}   those that it holds"
    text = [(titles[:columns], BOLD)]
    text += [(row_line(row, columns)[:columns], RED if row.state == "dead" else "") for row in view.rows]
    summary = f"  {view.known:,} URLs known: {view.records:,} done, {view.unfinished:,} unfinished"
    text += [("", ""), (summary[:columns] if view.known else "  nothing is known yet", "")]
    if view.happened:
        text += [("", "")] + [(line, "") for moment in view.happened for line in moment_lines(*moment, columns)]
    return [f"{colour}{line}{PLAIN}" if colour and colours else line for line, colour in text]


class Screen:
    """Where the table is shown. On a terminal, it is redrawn in place; otherwise each event is a line, and the table
    comes once, at the end."""

    def __init__(self, stream):
        self._stream = stream
        self.is_live = on_terminal(stream)
        self._height = 0  # the height of the table on the screen
        self._told = 0  # how many events were printed

    def say(self, *lines_of_text):
        print(*lines_of_text or [""], sep="\n", file=self._stream, flush=True)

    def tell(self, text):
        """Prints a sentence or two, in lines that fit."""
        say(text, file=self._stream)

    def tell_command(self, command):
        self.say(*command_lines(command, width()))

    def show(self, view, is_last=False):
        size = shutil.get_terminal_size()
        if self.is_live and self._draw(view, size, is_last):
            return
        for moment in view.happened[self._told:]:
            self.say(*moment_lines(*moment, width()))
        self._told = len(view.happened)
        if is_last:
            self.say("", *lines(replace(view, happened=[]), width()))

    def _draw(self, view, size, is_last):
        """Returns False if the screen is too small."""
        table = lines(view, size.columns - 1, colours=True)
        # Lines that have scrolled out can't be redrawn, so the oldest events are left out until the end.
        while len(table) >= size.lines and view.happened and not is_last:
            view = replace(view, happened=view.happened[1:])
            table = lines(view, size.columns - 1, colours=True)
        if len(table) >= size.lines and not is_last:
            self.is_live = False
            return False
        up = f"\033[{self._height}A" if self._height else ""
        print(up + "".join(f"{line}\033[K\n" for line in table), end="", file=self._stream, flush=True)
        self._height = len(table)
        return True
