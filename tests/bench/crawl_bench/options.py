"""The command line of `./learn bench`: reads it, and says what is wrong with it before anything is measured."""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from contestants import EPOLL, HAS_EPOLL, LIBCURL, STAGES, TIMED, read_rival
from measure import Trouble
from nginx import find_nginx
from servers import PRACTICE_SITE
from terminal import say  # measure.py has said where it is

NEEDS = [*STAGES.values(), PRACTICE_SITE, TIMED, LIBCURL, *[EPOLL] * HAS_EPOLL]

ABOUT = """Measures our crawlers beside others, on a site that is served on this machine.

First each of them crawls while the server takes notes, and you see which one
leaves out a page or asks for one twice. Then they crawl in turn, several
rounds, and the table shows the medians. It installs nothing."""

MORE = """examples:
  ./learn bench                 what a page costs: pinned to one core, and free
  ./learn bench --latency 50    pages per second if answers wait 50 ms
  ./learn bench --memory        what a known URL takes
  ./learn bench --rival 'mine=my-crawler --tasks {n} {url}'
  ./learn bench --json a.json --chart a.svg
                                keep the figures; draw a-light.svg, a-dark.svg
  ./learn bench --from a.json --chart a.svg
                                show them again, and measure nothing"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong, and not how everything is used."""

    def error(self, message: str):
        say(f"learn: bench: {message} (see ./learn bench --help)", file=sys.stderr)
        sys.exit(2)


def number(least: int, most: int):
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least:,} to {most:,}")
        return int(text)
    return read


def numbers(text: str) -> list[int]:
    return [number(1, 10_000)(word) for word in text.split(",")]


def make_parser() -> Parser:
    parser = Parser(prog="./learn bench", description=ABOUT, epilog=MORE,
                    formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--latency", type=number(1, 60_000), metavar="MS", help="let each answer wait so long")
    kind.add_argument("--memory", action="store_true", help="take the peak of memory on two sites, and the slope")
    kind.add_argument("--from", dest="source", type=Path, metavar="FILE", help="show what --json has written")
    parser.add_argument("--pages", type=number(1, 1_000_000), metavar="N",
                        help="of the site (5,000; with --latency, 1,000 to 20,000; with --memory, 20,000)")
    parser.add_argument("--links", type=number(1, 10_000), metavar="N", help="on a page (30; with --memory, 10)")
    parser.add_argument("--size", type=number(0, 100_000_000), metavar="BYTES",
                        help="of a page (20000; with --memory, 2000)")
    parser.add_argument("--workers", type=numbers, metavar="N,...",
                        help="fetches at once (10; with --latency, 10,100,1000)")
    parser.add_argument("--rounds", type=number(1, 1000), metavar="N", help="of runs (5; else 3)")
    parser.add_argument("--placement", choices=["pinned", "free"], help="only this one")
    parser.add_argument("--server", choices=["nginx", "practice_site"], default="",
                        help="which server to use (nginx, if it's here)")
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=COMMAND",
                        help="one more crawler: {url} is where to start, {urls} a file with all URLs (also its "
                             "standard input), {n} how many at once, {folder} a place for files; repeatable")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], metavar="WORD,...",
                        help="contestants with one of these words in their names")
    parser.add_argument("--limit", type=number(1, 86_400), default=600, metavar="S", help="seconds for one run (600)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="draw them, as FILE-light.svg and FILE-dark.svg")
    parser.add_argument("--build", type=Path, default=Path("build-bench"), help=argparse.SUPPRESS)
    parser.add_argument("--needs", action="store_true", help=argparse.SUPPRESS)
    return parser


def can_write(file: Path | None, option: str):
    """Better now than after ten minutes."""
    if file is None:
        return
    folder = file.parent
    if not folder.is_dir():
        raise Trouble(f"{option} {file}: there is no folder {folder}; make it first")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise Trouble(f"{option} {file} can't be written; name another file")


def read_options(words: list[str]) -> argparse.Namespace:
    """Throws Trouble, or ends the program, if they can't be understood."""
    options = make_parser().parse_args(words)
    options.rivals = [read_rival(text) for text in options.rival]
    can_write(options.json, "--json")
    can_write(options.chart, "--chart")
    if options.chart and options.chart.suffix != ".svg":
        raise Trouble(f"--chart {options.chart}: its name must end with .svg")
    if options.chart and options.memory:
        raise Trouble("--memory has no chart: leave out --chart")
    if options.server == "nginx" and options.latency:
        raise Trouble("answers wait only if the practice site serves: leave out --server nginx")
    if options.server == "nginx" and not find_nginx():
        raise Trouble("there is no nginx here: install it (Debian's package nginx), or leave out --server nginx")
    if options.source and (options.pages or options.links or options.workers or options.rounds or options.placement
                           or options.server or options.rivals or options.size is not None):
        raise Trouble("--from shows what was measured: of other options, it takes --json and --chart only")
    if options.source and not options.source.is_file():
        raise Trouble(f"--from {options.source}: there is no such file; --json FILE writes one")
    if options.memory and options.pages and options.pages < 10:
        raise Trouble("--memory takes the slope from a tenth of the pages to all: that needs 10 --pages at least")
    if options.workers and len(options.workers) > 1 and options.memory:
        raise Trouble("--memory takes one number of --workers")
    return options
