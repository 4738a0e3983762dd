#!/usr/bin/env python3
"""Makes one page of report.html, report.css and report.js, as a C++ file.

    embed.py report.html report.css report.js book.css > report_page.cpp

The colours are the site's, from the beginning of its style sheet. The page's policy lets a browser
run this script and apply this style, by their hashes, and load nothing at all.
"""
import base64
import hashlib
import pathlib
import sys

html, style, script, site = (pathlib.Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
colours, found, _ = site.partition("/* The page:")
assert found, "book.css: where do its colours end?"
style = colours + style


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


policy = (f"default-src 'none'; style-src {hashed(style)}; script-src {hashed(script)}; "
          "base-uri 'none'; form-action 'none'")
for name, text in {"POLICY": policy, "STYLE": style, "SCRIPT": script}.items():
    html = html.replace("{{" + name + "}}", text)
assert ")page\"" not in html
print(f'''// Made by embed.py.
#include "stage3_queue_crawler/program/formats/report_page.h"

namespace stage3 {{

std::string_view report_page() {{
    return R"page({html})page";
}}

}} // namespace stage3''')
