"""Two runs on one time axis: a page that shows how long each took, and what the loop did meanwhile.

compare.html is the page, and compare.js draws it from the two traces, which lie in it as in the page
of one run: it opens from disk, and loads nothing. Each run's own page lies beside it, for its links.
"""
from __future__ import annotations

import html
import json
import re

from make_page import HERE, USE_STRICT, for_script, script_text, slim_script, slim_style
from traces import Trace

SCRIPTS = ["steps.json", "model.js", "words.js", "view_dom.js", "axis.js", "compare.js"]
STYLES = ["style.css", "compare.css"]


def compare_page(traces: list[Trace], names: list[str], pages: list[str], title: str) -> str:
    """The page's text. Each run has a name, and a page of its own."""
    runs = [{"name": name, "trace": trace.text(), "page": page}
            for trace, name, page in zip(traces, names, pages)]
    known = json.dumps({"title": title, "runs": runs}, ensure_ascii=False, separators=(",", ":"))
    scripts = "\n".join(slim_script(script_text(name)) for name in SCRIPTS)
    styles = "".join((HERE / name).read_text(encoding="utf-8") for name in STYLES)
    parts = {
        "TITLE": html.escape(title),
        "CSS": slim_style(styles),
        "DATA": f'<script id="meta" type="application/json">{for_script(known)}</script>',
        "JS": f"{USE_STRICT}\n{scripts}",
    }
    page = (HERE / "compare.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(TITLE|CSS|JS|DATA)\}\}", lambda mark: parts[mark[1]], page)
