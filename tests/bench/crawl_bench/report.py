"""Shows a sitting's figures as tables. All that is printed is computed from the JSON, so that an old sitting's
can be shown again."""
from __future__ import annotations

from measure import spread
from terminal import wrapped  # measure.py has said where it is

NOISY = 0.2  # least and most further apart than this share of the median: something else was running


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Lines: the first column to the left, the others to the right."""
    wide = [max(map(len, column)) for column in zip(head, *rows)]
    return ["  ".join([cells[0].ljust(wide[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], wide[1:]))])
            .rstrip() for cells in [head, *rows]]


def reference(rows: list[dict]) -> dict | None:
    """What all are compared with: wget2 if it's there, otherwise the first that was measured."""
    able = [row for row in rows if "cpu" in row]
    return next((row for row in able if row["name"] == "wget2"), able[0] if able else None)


def is_noisy(row: dict) -> bool:
    return any(spread(row[name]) > NOISY for name in ("wall", "cpu") if name in row)


def verdict(row: dict) -> str:
    return "failed" if row.get("failed") else "yes" if row["exact"] else "twice" if row["found"] else "NO"


def cost_of_a_page(row: dict, part: dict) -> float:
    """The median of the processor time, in milliseconds."""
    return 1e3 * row["cpu"]["median"] / part["pages"]


def rate(row: dict, part: dict) -> float:
    """The median of URLs per second: all that had to be requested, including redirects and dead ones."""
    return part["urls"] / row["wall"]["median"]


def ideal(part: dict) -> float:
    """The most URLs per second that are possible if each takes as long as the latency."""
    return part["at_once"] / part["site"]["latency"] * 1e3


def title_of(part: dict) -> str:
    where = ("pinned: the crawler on one core, the server on another" if part["placement"] == "pinned"
             else "free: crawler and server on all cores")
    return f"{part['at_once']:,} at once; {where}"


def about_site(part: dict) -> str:
    site = part["site"]
    waits = f", each answer after {site['latency']} ms" if site["latency"] else ""
    return (f"{part['pages']:,} pages of {site['size'] / 1e3:g} kB with {site['links']} links{waits}; "
            f"{part['urls']:,} URLs, with redirects ({part['redirects']:,}) and dead links ({part['dead']:,}).\n"
            f"Served by {part['server']}.")


def cost_rows(part: dict) -> list[str]:
    base = reference(part["rows"])
    than = f"× {base['name']}" if base else "×"
    lines = []
    for row in part["rows"]:
        if "cpu" not in row:
            lines.append([row["name"], verdict(row), "-  ", *["-"] * 4])
            continue
        mark = " ~" if is_noisy(row) else "  "
        lines.append([row["name"], verdict(row), f"{row['wall']['median']:.2f}{mark}",
                      f"{row['wall']['median'] / base['wall']['median']:.2f}", f"{cost_of_a_page(row, part):.3f}",
                      f"{row['cpu']['median'] / base['cpu']['median']:.2f}", f"{row['peak']['median'] / 1e6:.1f}"])
    return table(["", "exact", "wall s  ", than, "CPU ms a page", than, "peak MB"], lines)


def latency_rows(part: dict) -> list[str]:
    lines = [["ideal", "", f"{ideal(part):,.0f}  ", "100 %", f"{part['at_once']:,}", "", ""]]
    for row in part["rows"]:
        if "cpu" not in row:
            lines.append([row["name"], verdict(row), "-  ", *["-"] * 4])
            continue
        mark = " ~" if is_noisy(row) else "  "
        most = row.get("most_at_once", {}).get("median")
        lines.append([row["name"], verdict(row), f"{rate(row, part):,.0f}{mark}",
                      f"{100 * rate(row, part) / ideal(part):.0f} %", "-" if most is None else f"{most:,.0f}",
                      f"{cost_of_a_page(row, part):.3f}", f"{row['peak']['median'] / 1e6:.1f}"])
    return table(["", "exact", "URLs/s  ", "of ideal", "most at once", "CPU ms a page", "peak MB"], lines)


def bytes_a_url(name: str, small: dict, large: dict) -> float | None:
    """By how much the peak grows with each further URL."""
    peaks = [next((row["peak"]["median"] for row in part["rows"] if row["name"] == name and "peak" in row), None)
             for part in (small, large)]
    return None if None in peaks else (peaks[1] - peaks[0]) / (large["urls"] - small["urls"])


def memory_rows(small: dict, large: dict) -> list[str]:
    lines = []
    for row, more in zip(small["rows"], large["rows"]):
        slope = bytes_a_url(row["name"], small, large)
        exact = verdict(more if row["exact"] else row)
        peaks = [f"{one['peak']['median'] / 1e6:.1f}" if "peak" in one else "-" for one in (row, more)]
        lines.append([row["name"], exact, *peaks, "-" if slope is None else f"{slope:,.0f}"])
    head = [f"MB, {part['urls']:,} URLs" for part in (small, large)]
    return table(["", "exact", *head, "bytes a URL"], lines)


def faults_of(parts: list[dict]) -> list[str]:
    """What contestants got wrong, each once."""
    said = [f"Not exact: {row['name']}: {fault}." for part in parts for row in part["rows"] for fault in row["faults"]]
    return list(dict.fromkeys(said))


def foot(sitting: dict) -> list[str]:
    parts = sitting["parts"]
    lines = faults_of(parts)
    if any(is_noisy(row) for part in parts for row in part["rows"]) and sitting["kind"] != "memory":
        lines.append(f"~: noisy; least and most are more than {NOISY:.0%} of the median apart.".replace("%", " %"))
    if sitting["cores"] == 1:
        lines.append("Nothing is pinned: that takes two cores, and here is one.")
    lines += [f"Not here, so not measured: {name} (Debian's package {package})." for name, package in sitting["missing"]]
    if sitting["kind"] == "memory":
        lines.append("Bytes a URL: the larger site's peak less the smaller one's, divided by the URLs that it has more.")
    lines.append(f"Medians of {sitting['rounds']} {'rounds' if sitting['rounds'] > 1 else 'round'} on "
                 f"{sitting['cores']} {'cores' if sitting['cores'] > 1 else 'core'}, {sitting['when']}. "
                 "Compare ratios: other machines have other seconds.")
    return lines


def report(sitting: dict) -> str:
    """The whole, as it's printed."""
    parts, lines, told = sitting["parts"], [], None
    if sitting["kind"] == "memory":
        lines += [wrapped(about_site(parts[-1])), wrapped(title_of(parts[-1])), "", *memory_rows(*parts), ""]
    else:
        show = cost_rows if sitting["kind"] == "cost" else latency_rows
        for part in parts:
            if about_site(part) != told:
                told = about_site(part)
                lines += [wrapped(told), ""]
            lines += [wrapped(title_of(part)), *show(part), ""]
    return "\n".join([*lines, *map(wrapped, foot(sitting))])
