#!/usr/bin/env python3
"""Makes the table of HTML's names for characters, from the list that Python has.

    common/web/character_names.py > common/web/character_names_table.h

The list is the HTML Standard's, and the Standard says that it won't change any more. So the
table stands in the repository, and nobody needs Python to build the crawler.
tests/common/character_names_test.py watches that the two belong together.
"""
from html.entities import html5  # such as {"amp": "&", "amp;": "&", "apos;": "'", ...}

COLUMNS = 90
HEAD = """\
// The table of character_names.cpp. Made by character_names.py, which says more.
#pragma once

#include <string_view>

namespace common {

/// A blank ends each entry. A name without a semicolon is known with one as well. Names
/// are in the order of their bytes, semicolons left out; what they mean is in UTF-8.
inline constexpr std::string_view character_names_table ="""
TAIL = """;

} // namespace common
"""


def literal(character: str) -> str:
    """As it stands between the quotes of a C++ string."""
    if character in '"\\':
        return "\\" + character
    if " " < character <= "~":
        return character
    short = {"\n": r"\n", "\t": r"\t"}.get(character)
    return short or (f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}")


def entries() -> list[str]:
    """Such as "apos;=' ", in the order of the names without their semicolons."""
    result = []
    for bare in sorted({name.rstrip(";") for name in html5}):
        if bare in html5 and html5[bare] != html5[f"{bare};"]:
            raise ValueError(f"{bare} means something else without its semicolon")
        name = bare if bare in html5 else f"{bare};"
        result.append(f"{name}={''.join(map(literal, html5[f'{bare};']))} ")
    return result


def table() -> str:
    lines = [""]
    for entry in entries():
        if len(lines[-1]) + len(entry) > COLUMNS - len('    ""'):
            lines.append("")
        lines[-1] += entry
    return HEAD + "".join(f'\n    "{line}"' for line in lines) + TAIL


if __name__ == "__main__":
    print(table(), end="")
