#!/usr/bin/env python3
"""Draws the book's figures, each in two versions: NAME-light.svg and NAME-dark.svg.

    book/figures/draw.py             draws all
    book/figures/draw.py --check     changes nothing; fails if a figure is not what its source says

The sources stand beside the figures and are plain text. NAME.fig begins with `# kind: KIND`
(costs, turn, stacks or diagram) and `title = …`; its other lines are the figure's rows, their
parts apart by `|`; `#` begins a comment. NAME.trace is a recorded run, as `stage1 --trace` and
its like write it: what runs when is not imagined here, it is read off. OF_SCENES names the scenes
(book/scenes) whose runs are drawn, too.

A diagram's rows are `box | x y width height | colour | line | line …`, `line | x1 y1 x2 y2 … |
colour`, `arrow | x1 y1 x2 y2 … | colour`, `text | x y | colour | words`, and `label | x y | colour |
words`, whose middle is at x. After a colour, `dashed` may stand. What is between two ` is set as
code; a second one may be left out at the end.

A figure with a fault (`faults` lists them: a line through words, a bend that isn't a right angle,
…) isn't drawn, and the command fails.
"""
import html
import json
import math
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
SCENES = HERE.parent / "scenes"
OF_SCENES = {"one-fetch": "07-fetch-one"}
WIDTH = 720
THEMES = {
    "light": {"ink": "#1f2328", "soft": "#59636e", "line": "#d1d9e0", "box": "#f6f8fa",
              "one": "#0969da", "two": "#bc4c00", "three": "#1a7f37", "on": "#ffffff"},
    "dark": {"ink": "#e6edf3", "soft": "#9198a1", "line": "#3d444d", "box": "#151b23",
             "one": "#4493f8", "two": "#db6d28", "three": "#3fb950", "on": "#0d1117"},
}
FONTS = ("system-ui, sans-serif", "ui-monospace, Menlo, Consolas, monospace")  # of words, of code
DASHES = ' stroke-dasharray="4 3"'

# How wide letters are, in hundredths of their size; others have 64. These are a wide font's (DejaVu
# Sans'), since words that have room there have room in others.
WIDTHS = {letter: width for width, letters in (
    (32, " ijlI'.,:;|/\\"), (40, "()[]frt-!"), (54, "csz?*_\"Jkxvy"), (60, "aeoFLPSTYZE"), (70, "ABCDKRVX"),
    (79, "GHNOQUw&"), (86, "M~+=<>"), (98, "mW%@…→÷")) for letter in letters}
CODE_WIDTH = 61
# A name in C++, or a piece of it, that an English sentence wouldn't have.
CODE = re.compile(r"\w_\w|\b_|\w_\b|\w\(\)|\w::\w|;$")
LEAST_SIZE = 12  # of words: a phone shows them at 10


def width_of(words, size, code=False, bold=False):
    hundredths = sum(CODE_WIDTH if code else WIDTHS.get(letter, 64) for letter in words)
    return hundredths / 100 * size * (1.12 if bold else 1)


class Picture:
    """An SVG that grows downwards and to the right; colours are names out of THEMES."""

    def __init__(self, title, description, theme):
        self.title, self.description, self.theme = title, description, theme
        self.parts, self.width, self.height = [], 0, 0
        self.text(12, 26, title, size=17, weight="bold")

    def reach(self, x, y):
        self.width, self.height = max(self.width, x + 12), max(self.height, y + 14)

    def text(self, x, y, words, colour="ink", size=13, weight="normal", anchor="start"):
        """`words`: every other part between ` is code."""
        parts, wide = [], 0
        for number, part in enumerate(words.split("`")):
            blanks = len(part) - len(part.lstrip(" ")) if number % 2 else 0  # indentation counts
            if part := "\N{NO-BREAK SPACE}" * blanks + part[blanks:]:
                parts.append((number % 2, part))
                wide += width_of(part, size, number % 2, weight == "bold")
        outside = min(code for code, _ in parts)  # in words with code, only the code says its font
        inside = "".join(html.escape(part) if code == outside else
                         f'<tspan font-family="{FONTS[code]}">{html.escape(part)}</tspan>' for code, part in parts)
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" fill="{self.theme[colour]}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}" font-family="{FONTS[outside]}">{inside}</text>')
        self.reach(x + wide * {"start": 1, "middle": 0.5, "end": 0}[anchor], y)

    def box(self, x, y, width, height, fill="box", stroke="line", dashed=False):
        inside = self.theme[fill] if fill else "none"
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" '
                          f'fill="{inside}" stroke="{self.theme[stroke]}"{DASHES if dashed else ""}/>')
        self.reach(x + width, y + height)

    def line(self, x1, y1, x2, y2, colour="soft", width=1.5, arrow=False):
        self.path([(x1, y1), (x2, y2)], colour, width, arrow)

    def path(self, points, colour="soft", width=1.5, arrow=False, dashed=False):
        if len(points) == 2:
            (x1, y1), (x2, y2) = points
            place = f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        else:
            place = f'<polyline fill="none" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"'
        self.parts.append(f'{place} stroke="{self.theme[colour]}" stroke-width="{width:g}"'
                          f'{DASHES if dashed else ""}/>')
        if arrow:
            (x1, y1), (x2, y2) = points[-2:]
            angle = math.atan2(y2 - y1, x2 - x1)
            ends = [(x2 - 8 * math.cos(angle + turn), y2 - 8 * math.sin(angle + turn)) for turn in (-0.5, 0.5)]
            head = " ".join(f"{x:.1f},{y:.1f}" for x, y in [(x2, y2), *ends])
            self.parts.append(f'<polygon points="{head}" fill="{self.theme[colour]}"/>')
        self.reach(*map(max, zip(*points)))

    def svg(self):
        width, height = math.ceil(self.width), math.ceil(self.height)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="img">\n'
                f"<title>{html.escape(self.title.replace('`', ''))}</title>\n"
                f"<desc>{html.escape(self.description)}</desc>\n"
                + "\n".join(self.parts) + "\n</svg>\n")


class Words:
    """A text of an SVG: where it is (x and y of two corners), and what it says."""

    def __init__(self, text):
        size, bold = float(text.get("font-size")), text.get("font-weight") == "bold"
        parts = [(text, text.text or "")]
        for part in text:
            parts += [(part, part.text), (text, part.tail or "")]
        pieces = [("monospace" in part.get("font-family"), words) for part, words in parts]
        wide = sum(width_of(words, size, code, bold) for code, words in pieces)
        indented = re.match("\N{NO-BREAK SPACE}*", text.text or "")[0]
        begin = float(text.get("x")) - wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
        y = float(text.get("y"))
        self.place = (begin + width_of(indented, size, True), y - 0.75 * size, begin + wide, y + 0.2 * size)
        self.size, self.said = size, "".join(words for _, words in pieces)
        self.prose = [words for code, words in pieces if not code]

    def meets(self, x1, y1, x2, y2):
        """Whether they share a place with this rectangle."""
        left, top, right, bottom = self.place
        return x1 < right and left < x2 and y1 < bottom and top < y2


def crosses(points, rectangle):
    """Whether a line from point to point passes through a rectangle."""
    (x1, y1), (x2, y2) = points
    left, top, right, bottom = rectangle
    begin, end = 0.0, 1.0  # the part of the line that may be inside
    for at, way, low, high in ((x1, x2 - x1, left, right), (y1, y2 - y1, top, bottom)):
        if way == 0:
            if not low < at < high:
                return False
            continue
        first, last = sorted(((low - at) / way, (high - at) / way))
        begin, end = max(begin, first), min(end, last)
    return begin < end


def faults(svg):
    """What an eye would find wrong with a figure: a list of sentences."""
    found, root = [], ET.fromstring(svg)
    _, _, width, height = map(float, root.get("viewBox").split())
    texts, boxes, lines = [], [], []  # lines: their points, and whether they are arrows
    for element in root:
        kind = element.tag.rpartition("}")[2]
        if kind == "text":
            texts.append(Words(element))
        elif kind == "rect":
            x, y, wide, high = (float(element.get(name)) for name in ("x", "y", "width", "height"))
            boxes.append((x, y, x + wide, y + high))
        elif kind == "line":
            x1, y1, x2, y2 = (float(element.get(name)) for name in ("x1", "y1", "x2", "y2"))
            lines.append(([(x1, y1), (x2, y2)], False))
        elif kind == "polyline":
            lines.append(([tuple(map(float, point.split(","))) for point in element.get("points").split()], False))
        elif kind == "polygon":
            lines[-1] = (lines[-1][0], True)
    if width > WIDTH:
        found.append(f"it is {width:g} wide; {WIDTH} is a page's width")
    for number, text in enumerate(texts):
        left, top, right, bottom = text.place
        if left < 0 or top < 0 or right > width or bottom > height:
            found.append(f'"{text.said}" leaves the frame')
        if text.size < LEAST_SIZE:
            found.append(f'"{text.said}" has size {text.size:g}; {LEAST_SIZE} is the least')
        found += [f'"{text.said}" is code, or some of it: put it between `' for words in text.prose
                  if CODE.search(words)]
        found += [f'"{text.said}" and "{other.said}" touch' for other in texts[:number] if text.meets(*other.place)]
        for x1, y1, x2, y2 in boxes:
            if text.meets(x1, y1, x2, y2) and not (x1 <= left and y1 <= top and right <= x2 and bottom <= y2):
                found.append(f'"{text.said}" crosses the edge of the box at {x1:g}, {y1:g}')
        for points, _ in lines:
            if any(crosses(piece, text.place) for piece in zip(points, points[1:])):
                found.append(f'a line runs through "{text.said}"')
    for points, is_arrow in lines:
        if not is_arrow:
            continue
        way, others = points, [other for other, is_other_arrow in lines if not is_other_arrow]
        while before := next((other for other in others if other[-1] == way[0]), None):
            way = before[:-1] + way
            others.remove(before)
        for (x1, y1), (x2, y2), (x3, y3) in zip(way, way[1:], way[2:]):
            is_straight = (x2 - x1) * (y3 - y2) == (y2 - y1) * (x3 - x2)
            if not is_straight and (x2 - x1) * (x3 - x2) + (y2 - y1) * (y3 - y2):
                found.append(f"an arrow has a bend at {x2:g}, {y2:g} that isn't a right angle")
        for x1, y1, x2, y2 in boxes:
            ends_there = any(x1 <= x <= x2 and y1 <= y <= y2 for x, y in (points[0], points[-1]))
            if not ends_there and any(crosses(piece, (x1, y1, x2, y2)) for piece in zip(points, points[1:])):
                if not any(x1 <= other[0] and other[2] <= x2 and y1 <= other[1] and other[3] <= y2
                           for other in boxes if other != (x1, y1, x2, y2)):  # that box holds others: it's a frame
                    found.append(f"an arrow runs through the box at {x1:g}, {y1:g}")
    return found


def read_fig(path):
    """The kind, the title and the rows of a .fig file."""
    kind = title = None
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# kind:"):
            kind = line.split(":", 1)[1].strip()
        elif line.startswith("title ="):
            title = line.split("=", 1)[1].strip()
        elif line.strip() and not line.startswith("#"):
            rows.append([part.strip() for part in line.split("|")])
    if kind not in KINDS or title is None:
        raise SystemExit(f"{path}: needs `# kind: …`, one of {', '.join(KINDS)}, and `title = …`")
    return kind, title, rows


def draw_costs(title, rows, theme):
    """To scale: a small square is 4 kB, a memory page. What is promised is drawn empty, and what is used of it, filled."""
    picture = Picture(title, "; ".join(f"{name}: {value} kB" for name, value, _ in rows), theme)
    cell, across, kilobytes = 7, 96, 4
    promised = 0  # squares, empty, that the next row fills

    def squares(x, y, number, colour):
        """`number` squares, row by row; a part of a square is as wide as its part."""
        for i in range(math.ceil(number)):
            width = min(1, number - i) * (cell - 1)
            picture.parts.append(f'<rect x="{x + i % across * cell:g}" y="{y + i // across * cell:g}" '
                                 f'width="{width:.1f}" height="{cell - 1}" fill="{theme[colour]}"/>')

    y, group = 44, None
    for name, value, kind in rows:
        who, what = name.split(", ", 1)
        if who != group:
            y += 8 if group else 0
            picture.text(12, y + 13, f"one more {who} that waits", weight="bold")
            y, group = y + 24, who
        number, label = float(value) / kilobytes, f"{float(value):,.1f} kB"
        if kind == "promised":
            picture.text(24, y + 11, f"{what}: {label}", "soft")
            y, promised = y + 18, number
            whole, rest = divmod(number, across)
            for top, wide, high in ((y, across * cell, whole * cell), (y + whole * cell, rest * cell, cell)):
                grid = "".join(f"M{x:g} {top:g}v{high:g}" for x in range(24, math.floor(24 + wide) + 1, cell))
                grid += "".join(f"M24 {line:g}h{wide:g}" for line in range(int(top), int(top + high) + 1, cell))
                picture.parts.append(f'<path d="{grid}" stroke="{theme["line"]}" fill="none"/>')
            filled, y = y, y + math.ceil(number / across) * cell + 6
            picture.reach(24 + across * cell, y)
            continue
        colour = "two" if kind == "kernel" else "one"
        if promised:
            squares(25, filled + 1, number, colour)
            promised = 0
        squares(25, y + 5, number, colour)
        picture.text(24 + 6 * cell, y + 11, f"{what}: {label}", "soft")
        y += 20
    picture.text(12, y + 18, "One small square is 4 kB. Empty: promised. Blue: used by the program, orange: by the kernel.",
                 "soft", 12)
    return picture


def draw_turn(title, rows, theme):
    """Who is registered, what select returns, who is called."""
    picture = Picture(title, "; ".join(f"{s}, {w}: {c}, ready: {r}" for s, w, c, r in rows), theme)
    for x, words in ((12, "1. registered"), (290, "2. asleep in `select`"), (500, "3. called back")):
        picture.text(x, 56, words, "soft", 13, "bold")
    top, bottom = 68, 68 + 52 * len(rows) - 10
    picture.box(290, top, 150, bottom - top)
    picture.text(365, (top + bottom) / 2 - 4, "wakes when", "soft", anchor="middle")
    picture.text(365, (top + bottom) / 2 + 14, "anything is ready", "soft", anchor="middle")
    for i, (socket, waits, callback, ready) in enumerate(rows):
        y = top + 52 * i
        picture.box(12, y, 230, 42)
        picture.text(22, y + 17, f"{socket}, {waits}")
        picture.text(22, y + 34, f"`→ {callback}", "one", 12)
        picture.line(242, y + 21, 286, y + 21, arrow=True)
        if ready == "yes":
            picture.line(440, y + 21, 496, y + 21, "three", 2, arrow=True)
            picture.box(500, y, 200, 42, None, "three")
            picture.text(510, y + 17, f"{socket} is ready:", "three")
            picture.text(510, y + 34, f"`{callback}()", "ink", 12)
        else:
            picture.text(500, y + 25, "not ready: not called", "soft")
    return picture


def draw_stacks(title, rows, theme):
    """Two printed stacks side by side, main at the top."""
    stacks = []
    for (line,) in rows:
        if line.startswith("$ "):
            stacks.append((line[2:], []))
        else:
            stacks[-1][1].append(line)
    picture = Picture(title, "; ".join(f"{command}: {' > '.join(names)}" for command, names in stacks), theme)
    for column, (command, names) in enumerate(stacks):
        x, y = 12 + 360 * column, 50
        picture.text(x, y + 6, f"`{command}", "soft", 12)
        y += 18
        for name in names:
            machinery = "EventLoop" in name
            picture.box(x, y, 330, 28, "box", "two" if machinery else "line")
            picture.text(x + 10, y + 19, f"`{name}", "two" if machinery else "ink", 13)
            y += 28
            if name.endswith("EventLoop::call_back"):
                picture.box(x, y + 4, 330, 40, None, "two", dashed=True)
                picture.text(x + 10, y + 20, "Who asked for this page? Which step came before?", "two", 12)
                picture.text(x + 10, y + 36, "`fetch`, `connected`, `send_request`: gone", "two", 12)
                y += 48
        picture.text(x + 10, y + 20, "throws", "soft")
        if names[-2].endswith("fetch_page"):
            picture.text(x + 10, y + 42, "Which page? `fetch_page`'s argument says.", "three", 12)
            picture.text(x + 10, y + 58, "Why this page? It was next on the list.", "three", 12)
    return picture


def draw_diagram(title, rows, theme):
    """Boxes, lines and words, where the rows say."""
    told = "; ".join(" ".join(words.replace("`", "") for words in row[3:]) for row in rows if len(row) > 3)
    picture = Picture(title, told, theme)
    for kind, place, colour, *words in rows:
        numbers = [float(number) for number in place.split()]
        dashed = colour.endswith(" dashed")
        colour = colour.removesuffix(" dashed")
        if kind == "box":
            x, y, width, height = numbers
            picture.box(x, y, width, height, None if dashed else "box", colour, dashed)
            room = height - 18 * len(words)
            first = y + 18 if room > 60 else y + room / 2 + 13  # a frame's words are at its top
            for i, line in enumerate(words):
                picture.text(x + 10, first + 18 * i, line, "ink" if colour == "line" else colour, 12)
        elif kind in ("text", "label"):
            picture.text(*numbers, words[0], colour, 12, anchor="middle" if kind == "label" else "start")
        elif kind in ("line", "arrow"):
            picture.path(list(zip(numbers[::2], numbers[1::2])), colour, arrow=kind == "arrow", dashed=dashed)
        else:
            raise SystemExit(f"{title}: there is no {kind}; a row is a box, line, arrow, text or label")
    return picture


def draw_tasks(path, theme):
    """Who acts, from top to bottom: the loop on the left, the task in the middle, the futures."""
    loop, task, future, row = 12, 262, 512, 30
    picture = Picture("One fetch, recorded", "", theme)
    for x, words in ((loop, "the loop"), (task, "the task"), (future, "the futures")):
        picture.text(x, 56, words, "soft", 13, "bold")
    y, numbers, told, asleep, resolved = 70, {}, [], 0, None

    def box(x, words, colour, dashed=False):
        picture.box(x, y, 196, 24, None if dashed else "box", colour, dashed)
        picture.text(x + 8, y + 16, words, colour if colour != "line" else "soft", 12)
        told.append(words)

    for event in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        kind, phase = event["event"], event.get("phase")
        if kind == "select":
            asleep = event["t"]
        elif kind == "ready":
            micro = event["t"] - asleep
            box(loop, f"asleep {micro / 1000:.0f} ms" if micro >= 500 else f"asleep {micro} µs", "line", True)
            y += row
        elif kind == "callback" and phase == "begin":
            box(loop, f"calls back: {event['name']}", "one")
        elif kind == "future" and phase == "new":
            numbers[event["id"]] = len(numbers) + 1
        elif kind == "future" and phase == "resolve":
            picture.line(loop + 196, y + 12, future - 4, y + 12, "one", arrow=True)
            box(future, f"future {numbers[event['id']]} is resolved", "one")
            resolved, y = event["id"], y + row
        elif kind == "task" and phase == "step":
            if resolved:
                picture.line(future, y + 12, task + 200, y + 12, "two", arrow=True)
                picture.text(future + 4, y + 16, "… and tells the task", "two", 12)
                box(task, "step: sends the result in", "two")
            else:
                box(task, "the first step", "two")
            resolved, y = None, y + row
        elif kind == "task" and phase == "suspend":
            picture.line(task + 196, y + 12, future - 4, y + 12, "two", arrow=True)
            place = event["chain"][-1]
            box(task, f"waits in `{place['name'].rsplit('::', 1)[-1]}`", "line", True)
            box(future, f"future {numbers[event['awaiting']]} is new", "three")
            y += row
        elif kind == "task" and phase == "done":
            box(task, "done", "two")
            y += row
    picture.description = "; ".join(told)
    return picture


def read_trace(path):
    """Fetches, and for each turn how long the loop slept and which callbacks it ran.

    A callback's event doesn't say whose it is, but callbacks run in the order of the ready
    descriptors, and new descriptors belong to fetches in the order in which they started.
    """
    fetches, turns, owner, unowned = {}, [], {}, []
    queue = []
    for event in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        kind, phase = event["event"], event.get("phase")
        if kind == "select":
            turns.append({"slept": -event["t"], "calls": []})
            queue = []
        elif kind == "ready":
            if not queue:
                turns[-1]["slept"] += event["t"]
            if event["fd"] not in owner:
                owner[event["fd"]] = unowned.pop(0)
            queue.append(event["fd"])
        elif kind == "fetch" and phase == "start":
            unowned.append(event["id"])
            born = (len(turns), len(turns[-1]["calls"])) if turns else None
            fetches[event["id"]] = {"url": event["url"], "born": born}
        elif kind == "fetch" and phase == "end":
            owner = {fd: fetch for fd, fetch in owner.items() if fetch != event["id"]}
        elif kind == "callback" and phase == "begin":
            turns[-1]["calls"].append([owner[queue[len(turns[-1]["calls"])]], event["name"], -event["t"]])
        elif kind == "callback" and phase == "end":
            turns[-1]["calls"][-1][2] += event["t"]
    return fetches, turns


def draw_trace(path, theme):
    """A lane for the loop and one for each fetch; time runs to the right, sleep is squeezed."""
    fetches, turns = read_trace(path)
    told = "; ".join(f"turn {number}: slept {turn['slept'] / 1000:.1f} ms, then "
                     + ", ".join(f"{name} for {fetches[fetch]['url']}" for fetch, name, _ in turn["calls"])
                     for number, turn in enumerate(turns, 1))
    picture = Picture("Callbacks over time, recorded", told, theme)
    sleep, call, gap = 74, 34, 6
    lane = {None: 66} | {fetch: 66 + 44 * i for i, fetch in enumerate(fetches, 1)}
    picture.text(12, lane[None] + 17, "the loop", weight="bold")
    for fetch, known in fetches.items():
        picture.text(12, lane[fetch] + 17, "`/" + known["url"].split("/", 3)[3])
    x, life, drawn = 96, {}, {None: 96}
    for number, turn in enumerate(turns, 1):
        picture.text(x + 3, lane[None] - 8, f"turn {number}", "soft", 12)
        picture.box(x, lane[None], sleep - 4, 24, None, "line", dashed=True)
        asleep = f"{turn['slept'] / 1000:.0f} ms" if turn["slept"] >= 500 else f"{turn['slept']} µs"
        picture.text(x + (sleep - 4) / 2, lane[None] + 17, asleep, "soft", 12, anchor="middle")
        x += sleep
        for place, (fetch, name, micro) in enumerate(turn["calls"], 1):
            drawn[number, place] = x + call / 2  # where the fetches that it starts begin
            life.setdefault(fetch, [drawn[fetches[fetch]["born"]], x])[1] = x + call
            colour = "one" if name == "connected" else "three"
            picture.box(x, lane[None], call, 24, colour, colour)
            picture.text(x + call / 2, lane[None] + 16, f"{micro}", "on", 12, anchor="middle")
            picture.box(x, lane[fetch], call, 24, colour, colour)
            picture.line(x + call / 2, lane[None] + 24, x + call / 2, lane[fetch], "line", 1)
            x += call
        x += gap
    for fetch, (begin, end) in life.items():
        picture.line(begin, lane[fetch] + 30, end, lane[fetch] + 30, "soft", 3)
    y = max(lane.values()) + 62
    for at, colour, words in ((12, "one", "connected"), (120, "three", "read_response")):
        picture.box(at, y - 11, 12, 12, colour, colour)
        picture.text(at + 18, y, f"`{words}", "soft", 12)
    picture.text(250, y, "numbers in boxes: µs; dashed: asleep in `select`; line: in flight", "soft", 12)
    return picture


KINDS = {"costs": draw_costs, "turn": draw_turn, "stacks": draw_stacks, "diagram": draw_diagram}


def draw(path, theme):
    if path.suffix == ".trace":
        text = path.read_text(encoding="utf-8")
        drawn_by = draw_tasks if '"event":"task"' in text else draw_trace
        svg = drawn_by(path, theme).svg()
    else:
        kind, title, rows = read_fig(path)
        svg = KINDS[kind](title, rows, theme).svg()
    if found := faults(svg):
        raise SystemExit("\n".join(f"{path.name}: {fault}" for fault in found))
    return svg


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: draw.py [--check]", file=sys.stderr)
        return 2
    stale = 0
    sources = {source.stem: source for source in sorted([*HERE.glob("*.fig"), *HERE.glob("*.trace")])}
    sources |= {figure: SCENES / f"{scene}.trace" for figure, scene in OF_SCENES.items()}
    for figure, source in sources.items():
        for name, theme in THEMES.items():
            target = HERE / f"{figure}-{name}.svg"
            svg = draw(source, theme)
            if target.exists() and target.read_text(encoding="utf-8") == svg:
                continue
            if arguments:
                print(f"{target.name}: not what {source.name} says; run book/figures/draw.py")
                stale += 1
            else:
                target.write_text(svg, encoding="utf-8")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
