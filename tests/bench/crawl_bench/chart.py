"""Draws a sitting's figures, in the colours of book/figures: NAME-light.svg and NAME-dark.svg.

Fetches at once differ by a factor of a hundred, and so do the pages a second that they bring: there, both axes are
logarithmic. Bars must be as long as what they stand for.
"""
from __future__ import annotations

import math
import sys
from pathlib import Path

from measure import Trouble
from report import cost_of_a_page, ideal, rate

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "book/figures"))
import draw  # noqa: E402  (its folder has just been put on the path)

LEFT, RIGHT = 210, 680  # where bars begin; where the longest one ends
PLACES = {"pinned": "one core for the crawler, another for the server", "free": "crawler and server on all cores"}


def colour_of(row: dict) -> str:
    return "one" if row["ours"] else "two" if row["finds"] else "three"


def decades(least: float, most: float) -> list[float]:
    """Powers of ten from the last below `least` to the first above `most`."""
    return [10.0 ** power for power in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)]


def marks_up_to(most: float) -> list[float]:
    """Round numbers from zero, four to six of them; the last is no less."""
    steps = (factor * 10.0 ** power for power in range(-9, 10) for factor in (1, 2, 5))
    step = next(step for step in steps if most <= 5 * step)
    return [step * i for i in range(math.ceil(most / step) + 1)]


def legend(picture, y: float):
    x = 12
    for colour, words in (("three", "given the list of URLs, reads nothing"), ("one", "ours"), ("two", "others")):
        picture.box(x, y - 11, 12, 12, colour, colour)
        picture.text(x + 18, y, words, "soft", 12)
        x += 40 + 7 * len(words)


def draw_cost(sitting: dict, theme: dict):
    """A bar for each: the processor's time for one page, in the first part."""
    part = sitting["parts"][0]
    rows = sorted((row for row in part["rows"] if "cpu" in row), key=lambda row: cost_of_a_page(row, part))
    costs = [cost_of_a_page(row, part) for row in rows]
    if not costs or min(costs) <= 0:
        raise Trouble("there is nothing to draw: no crawler was measured, or for too short a time; try more --pages")
    told = "; ".join(f"{row['name']}: {cost:.3f} ms" for row, cost in zip(rows, costs))
    picture = draw.Picture("What a page costs: milliseconds of the processor", told, theme)
    marks = marks_up_to(max(costs))
    bottom, scale = 78 + 26 * len(rows), (RIGHT - LEFT) / marks[-1]
    for mark in marks:
        x = LEFT + scale * mark
        picture.line(x, 66, x, bottom, "line", 1)
        picture.text(x, 58, f"{mark:g} ms", "soft", 12, anchor="middle")
    for y, row, cost in zip(range(72, bottom, 26), rows, costs):
        end = LEFT + scale * cost
        picture.text(LEFT - 52, y + 15, row["name"] + ("" if row["found"] else " (not exact)"), anchor="end")
        picture.box(LEFT, y, end - LEFT, 20, colour_of(row), colour_of(row))
        picture.text(LEFT - 8, y + 15, f"{cost:.3f}", "ink", 12, anchor="end")  # beside the bar, a mark's line ran through
    legend(picture, bottom + 22)
    site = part["site"]
    picture.text(12, bottom + 42, f"{part['pages']:,} pages of {site['size'] / 1e3:g} kB with {site['links']} links, "
                 f"{part['at_once']} at once; {PLACES[part['placement']]}.", "soft", 12)
    return picture


def spread_out(places: list[float], distance: float) -> list[float]:
    """Moves places on a line so that neighbours are at least this far apart, for words beside them."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for before, after in zip(order, order[1:]):
        moved[after] = max(moved[after], moved[before] + distance)
    return moved


def points_of(sitting: dict) -> dict[str, tuple[str, list[tuple[int, float]]]]:
    """By name: a colour, and the URLs per second for each number at once."""
    points = {"ideal": ("soft", [(part["at_once"], ideal(part)) for part in sitting["parts"]])}
    for part in sitting["parts"]:
        for row in part["rows"]:
            if "cpu" in row:
                points.setdefault(row["name"], (colour_of(row), []))[1].append((part["at_once"], rate(row, part)))
    return {name: (colour, sorted(line)) for name, (colour, line) in points.items()}


def draw_latency(sitting: dict, theme: dict):
    """A line for each: URLs per second, by fetches at once."""
    points = points_of(sitting)
    latency = sitting["parts"][0]["site"]["latency"]
    told = "; ".join(f"{name}: " + ", ".join(f"{speed:,.0f} with {n:,}" for n, speed in line)
                     for name, (_, line) in points.items())
    picture = draw.Picture(f"URLs a second, if each answer takes {latency} ms", told, theme)
    every = [point for _, line in points.values() for point in line]
    across = sorted({n for n, _ in every})
    up = decades(min(speed for _, speed in every), max(speed for _, speed in every))
    left, right, top, bottom = 70, 540, 60, 400

    def x_of(n: float) -> float:
        return left + (right - left) * math.log(n / across[0]) / (math.log(across[-1] / across[0]) or 1)

    def y_of(speed: float) -> float:
        return bottom - (bottom - top) * math.log(speed / up[0]) / math.log(up[-1] / up[0])
    for mark in up:
        picture.line(left, y_of(mark), right, y_of(mark), "line", 1)
        picture.text(left - 8, y_of(mark) + 4, f"{mark:,.0f}", "soft", 12, anchor="end")
    for n in across:
        picture.line(x_of(n), top, x_of(n), bottom, "line", 1)
        picture.text(x_of(n), bottom + 18, f"{n:,}", "soft", 12, anchor="middle")
    picture.text((left + right) / 2, bottom + 36, "fetches at once", "soft", 12, anchor="middle")
    for colour, line in points.values():
        for (n, speed), (more, next_speed) in zip(line, line[1:]):
            picture.line(x_of(n), y_of(speed), x_of(more), y_of(next_speed), colour, 2)
        for n, speed in line:
            picture.parts.append(f'<circle cx="{x_of(n):.1f}" cy="{y_of(speed):.1f}" r="3.5" fill="{theme[colour]}"/>')
    ends = [y_of(line[-1][1]) for _, line in points.values()]
    for (name, (colour, line)), end, y in zip(points.items(), ends, spread_out(ends, 17)):
        picture.line(x_of(line[-1][0]) + 6, end, right + 16, y, "line", 1)
        picture.text(right + 20, y + 4, f"{name}: {line[-1][1]:,.0f}", colour if colour != "soft" else "ink", 12)
    about = sitting["parts"][-1]
    picture.text(12, bottom + 62, f"Pages of {about['site']['size'] / 1e3:g} kB with {about['site']['links']} links; "
                 f"{PLACES[about['placement']]}.", "soft", 12)
    picture.text(12, bottom + 80, "Each line across is ten times the one below. The ideal: fetches at once ÷ latency.",
                 "soft", 12)
    return picture


DRAWN = {"cost": draw_cost, "latency": draw_latency}


def charts(sitting: dict, file: Path) -> dict[Path, str]:
    """The pictures, by the file where they belong: for NAME.svg, NAME-light.svg and NAME-dark.svg."""
    if sitting["kind"] not in DRAWN:
        raise Trouble("--memory has no chart: leave out --chart")
    return {file.with_name(f"{file.stem}-{name}.svg"): DRAWN[sitting["kind"]](sitting, theme).svg()
            for name, theme in draw.THEMES.items()}


def draw_charts(sitting: dict, file: Path):
    for path, svg in charts(sitting, file).items():
        path.write_text(svg, encoding="utf-8")
