#!/usr/bin/env python3
"""Takes the picture of the viewer at work that README shows, in light and in dark. Needs Chromium.

    book/scenes/picture.py     writes book/figures/viewer-light.png and viewer-dark.png

It's the page that `./learn trace 2` makes, of the crawl that is recorded for page 18a, at a step that shows
the most: a coroutine resumes while others wait. A browser's PNG is three times as big as it need
be, and a repository keeps each version for ever: so it's packed anew, with 256 colours.
"""
from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "viewer"))
from make_page import TITLES, make_page, meta_of  # noqa: E402  (its folder has just been put on the path)
from scenes import all_scenes, move_lines  # noqa: E402
from story import browser_here  # noqa: E402

SCENE, STEP = "18a-chain", 112
WIDTH, HEIGHT, SCALE = 1100, 690, 1.2  # of the window; GitHub shows it about 830 px wide
FIGURES = HERE.parent / "figures"


def page_of(theme: str, folder: Path) -> Path:
    """In a frame, whose size is what it says."""
    scene = all_scenes()[SCENE]
    trace, _ = move_lines(scene.trace(), scene.lines())
    meta = meta_of(trace, title=TITLES["stage2"], about="./learn trace 2")
    met = "localStorage.setItem('await-the-web viewer met', 'yes')"  # no card for new readers
    page = make_page(trace, meta).replace("<head>", f"<head><script>try {{ {met} }} catch {{ }}</script>", 1)
    (folder / "page.html").write_text(page, encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(f'<body style="margin:0"><iframe width={WIDTH} height={HEIGHT} style="border:0;display:block" '
                     f'src="page.html#step={STEP}&theme={theme}"></iframe>', encoding="utf-8")
    return frame


def photograph(theme: str, browser: str) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        picture = folder / "picture.png"
        subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text",
             "--force-prefers-reduced-motion", f"--force-device-scale-factor={SCALE}", "--virtual-time-budget=5000",
             f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}",
             page_of(theme, folder).as_uri()], check=True, capture_output=True, timeout=120)
        return picture.read_bytes()


# ---- PNG: read what a browser writes, and write it small --------------------------------


def chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        found.append((data[at + 4:at + 8], data[at + 8:at + 8 + length]))
        at += 12 + length
    return found


def rows_of(data: bytes) -> tuple[int, list[bytearray]]:
    """The width, and each row's bytes: three for a pixel."""
    parts = chunks(data)
    width, height, depth, kind = struct.unpack(">IIBB", parts[0][1][:10])
    if (depth, kind) != (8, 2):
        raise SystemExit("picture.py: this browser writes another kind of PNG")
    packed = zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    size, rows, above = 3 * width, [], bytearray(3 * width)
    for y in range(height):
        begin = y * (size + 1)
        above = without_filter(packed[begin], bytearray(packed[begin + 1:begin + 1 + size]), above)
        rows.append(above)
    return width, rows


def without_filter(kind: int, row: bytearray, above: bytearray) -> bytearray:
    """Each byte is told as a difference: to its left, above it, or both (PNG, section 9)."""
    for i in range(len(row)):
        left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
        guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]
        row[i] = (row[i] + guess) & 255
    return row


def paeth(left: int, above: int, corner: int) -> int:
    whole = left + above - corner
    return min((left, above, corner), key=lambda near: abs(whole - near))


def small(data: bytes) -> bytes:
    """The same picture with 256 colours: of each kind of colour the one that it has most of, and then those
    that it has most of; for all others the nearest."""
    width, rows = rows_of(data)
    pixels = [[bytes(row[i:i + 3]) for i in range(0, len(row), 3)] for row in rows]
    counts = Counter(pixel for row in pixels for pixel in row)
    ranked = [colour for colour, _ in counts.most_common()]
    kinds = {tuple(part >> 5 for part in colour): colour for colour in reversed(ranked)}
    palette = list(dict.fromkeys([*kinds.values(), *ranked]))[:256]
    index = {colour: min(range(len(palette)), key=lambda n: sum((a - b) ** 2 for a, b in zip(palette[n], colour)))
             for colour in counts}
    packed = zlib.compress(b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in pixels), 9)
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", head), (b"PLTE", b"".join(palette)), (b"IDAT", packed), (b"IEND", b"")))


def main() -> int:
    browser = browser_here()
    if browser is None:
        print("picture.py: there is no Chromium: install it, and try again", file=sys.stderr)
        return 1
    for theme in ("light", "dark"):
        file = FIGURES / f"viewer-{theme}.png"
        file.write_bytes(small(photograph(theme, browser)))
        print(f"{file.name}: {file.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
