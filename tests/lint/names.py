#!/usr/bin/env python3
"""Finds names in the story's listings that no page so far has defined or introduced.

    tests/lint/names.py [--count] [ROOT]

The pages are read in their order, FIRST to LAST (page 00 shows the shapes of what will be built, and
asks its reader not to look at details). On each, every name in a C++ listing (comments and
strings aside) must be one of these:

- a word of the language, a name after `std::`, a member of a standard type (see STANDARD), one of
  our namespaces or a macro of the tests;
- *defined*: the listing, or an earlier one, declares it. A parameter or local variable is known
  only to the end of its page, and says nothing about a member (`x.name`) that is called the same;
- *introduced*: an earlier page, or this one before the next heading below the listing, has it in
  code font in a sentence that says something of it: one with a verb and FEW_WORDS other words.
  Questions, headings, tables, boxes, folded text (<details>), paths and commands introduce nothing.

In a listing that shows a change, both the old lines and the new ones count.

A name that can't be explained in time goes into EXCEPTIONS, with the reason. Each must be needed.
A verb that VERBS doesn't know yet may be added there.

--count prints how many names each page has. Exit status: 0, nothing found; 1, something found.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # no __pycache__ beside the sources
import prose  # noqa: E402  (its folder is this script's)

FIRST, LAST = 1, 17  # the pages that are checked
FEW_WORDS = 4
MOST_EXCEPTIONS = 20
EXCEPTIONS: dict[str, str] = {}  # a name, and why no page says what it is

KEYWORDS = set("""
    alignas alignof and asm auto bool break case catch char class co_await co_return co_yield concept
    const consteval constexpr constinit const_cast continue decltype default delete do double
    dynamic_cast else enum explicit export extern false final float for friend goto if inline int long
    mutable namespace new noexcept not nullptr operator or override private protected public
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
    wchar_t while""".split())
TYPES = {"auto", "bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned", "void",
         "wchar_t"}
NAMESPACES = {"common", "small", "stage1", "stage2", "stage3", "tests"}
LIBRARIES = {"fmt", "std"}  # what is after one of these and :: is theirs
MACROS = {"CHECK", "CHECK_FALSE", "REQUIRE", "REQUIRE_FALSE", "SUBCASE", "TEST_CASE", "TEST_CASE_FIXTURE",
          "assert", "errno", "std", "stderr"}
# Members of the standard library's types, and those that the language asks a promise for.
STANDARD = set("""
    address at await_ready await_resume await_suspend back begin c_str clear code contains count data
    destroy detach done emplace emplace_back empty end erase exchange extract final_suspend find first
    from_address from_promise front function_name get get_return_object has_value initial_suspend insert join load lock
    mapped max min notify_all notify_one owns_lock pop_back pop_front promise promise_type push_back push_front
    release remove_prefix reserve reset resize resume return_value return_void second size store substr
    swap try_emplace unhandled_exception unlock value value_or wait what yield_value""".split())

OTHER_CODE = re.compile(r"<!-- code: (?!\S+\.(?:h|cpp)\b)")
FENCE = re.compile(r"\s*(`{3,})(\w*)")
SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])+\''
                      r"|\[\[[^\]]*\]\]|^[ \t]*#(?!define)[^\n]*", re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|&&|\|\||<<|<=>|[<>=!+\-*/%&|^]=|\+\+|--|\.\.\.|[^\s]")
NAME = re.compile(r"[A-Za-z_]\w*")
# A sentence has one of these, in some form of it.
VERBS = re.compile(r"\b(?:" + "|".join("""
    am are be been can can't cannot could did do does doesn't don't had has hasn't have is isn't it's
    may might must needn't shall should was wasn't were what's will won't would
    begun brought came chose cut done fell found gave given gone got held hid kept knew known lay left
    let lost made met put ran read said sent set shown taken thrown told took went woken wrote""".split())
    + "|(?:" + "|".join("""
    accept add advanc allow answer append arrange arriv ask await becom begin belong block borrow build call
    cancel carr catch caught chang check choos clos collect com combin compar complet connect contain
    continu count creat decid defin delay delegat destroy driv end express find finish fit follow forget
    get giv go grow guard hand hang happen hold ignor insert keep know last lead learn leav let limit list liv
    look los make mak map mark match mean measur mov nam need notic offer open own pack pass pick play point press
    print produc promis put queu rais reach read receiv record redirect refer refus register remember remov
    repeat replac report reserv resolv resum retr return run say search see send serv share show sleep
    split stand start stay stop stor suppos suspend swap sweep take tak tell throw touch trie try turn
    understand us wait wak want wander warn watch work wrap writ yield""".split())
    + r")(?:e|es|s|ed|d|ies|y|ing|ning|ting|ped|ping)?)\b", re.I)


class Listing:
    """A fenced block of C++, as (number, text) of its lines; each part of a change is an old and a new text."""

    def __init__(self, lines: list[tuple[int, str]], is_change: bool):
        self.first, self.last = lines[0][0], lines[-1][0]
        texts = [lines]
        if is_change:
            parts: list[list[tuple[int, str]]] = [[]]
            for at, line in lines:
                parts += [[]] if line.startswith("@@") else []
                parts[-1].append((at, line))
            texts = [[(at, line[1:]) for at, line in part if line[:1] in (sign, " ", "")]
                     for part in parts for sign in "-+"]
        self.versions = [Version(text) for text in texts]


class Version:
    """One text of a listing: what it declares, and the names that it uses."""

    def __init__(self, lines: list[tuple[int, str]]):
        code = "\n".join(line for _, line in lines)
        code = NOT_CODE.sub(lambda hit: "\n" * hit[0].count("\n") + " ", code)
        found = list(TOKEN.finditer(code))
        self.tokens = [hit[0] for hit in found]
        self.lines = [lines[code.count("\n", 0, hit.start())][0] for hit in found]
        self.lasting: set[str] = set()  # types, functions, members, what is outside of functions
        self.local: set[str] = set()  # parameters, and variables of functions
        self._find_declarations()

    def at(self, index: int) -> str:
        return self.tokens[index] if 0 <= index < len(self.tokens) else ""

    def is_name(self, index: int) -> bool:
        word = self.at(index)
        return bool(NAME.fullmatch(word)) and word not in KEYWORDS

    def template_begins(self, end: int) -> int:
        """Where the template's name is whose arguments end with the > at `end`; -1 if it is no such >."""
        depth = brackets = 0
        for at in range(end, 0, -1):
            word = self.at(at)
            brackets += (word == ")") - (word == "(")
            depth += (word == ">") - (word == "<")
            if depth == 0:
                return at - 1 if brackets == 0 and self.is_name(at - 1) else -1
            known = NAME.match(word) or word[0].isdigit() or word in "<>(),::*&..." or word == "&&"
            if not known or (word == "&&" and self.is_name(at + 1)):
                return -1
        return -1

    def chain_begins(self, at: int) -> int:
        """Where a qualified name begins: for the last word of a::b<c>::d, it is a's place."""
        while self.at(at - 1) == "::":
            before = at - 2
            if self.at(before) == ">":
                before = self.template_begins(before)
            if before < 0 or not self.is_name(before):
                return at - 1
            at = before
        return at

    def ends_a_type(self, at: int) -> bool:
        """Whether the word there can be a type's last, so that a name behind it is declared."""
        word = self.at(at)
        if word == ">":
            return self.template_begins(at) >= 0
        if word in ("*", "&", "&&"):
            return self._has_sign(at - 1)
        if word in ("const", "..."):
            return self.ends_a_type(at - 1)
        return word in TYPES or self.is_name(at)

    def _has_sign(self, at: int) -> bool:
        """Whether the word there is a type's, if a * or & is behind it. (Else the sign is an operator.)"""
        word = self.at(at)
        if not self.is_name(at):
            return self.ends_a_type(at)
        begins = self.chain_begins(at)
        return (bool(re.match(r"[A-Z]\w*[a-z]|[A-Z]$|.*_t(ype)?$", word)) or self.at(begins) == "std"
                or self.at(begins - 1) in ("const", "struct", ";", "{", "}", ""))

    def _find_declarations(self):
        inside: list[str] = []  # the brackets that are open: ( [ class enum namespace block
        begins = 0  # of the statement
        for at, word in enumerate(self.tokens):
            lasting = not {"(", "[", "block"} & set(inside)
            if word == "{":
                inside.append(self._kind_of_block(begins, at))
            elif word in "([":
                inside.append(word)
                if word == "[":
                    self._find_bindings(at)
            elif word in ")]}" and inside:
                inside.pop()
            if word in ("{", "}", ";"):
                begins = at + 1
            if word == "*" and self.at(at + 2) == ")" and self.at(at + 3) == "(":
                opens = self.chain_begins(at) - 1  # in void (A::*name)()
                if self.at(opens) == "(" and self.ends_a_type(opens - 1):
                    self._declare(at + 1, lasting)
            elif self.is_name(at) and self._is_declared(at, inside):
                self._declare(at, lasting)
                self._find_more(at, lasting)

    def _declare(self, at: int, lasting: bool):
        (self.lasting if lasting else self.local).add(self.at(at))

    def _kind_of_block(self, begins: int, opens: int) -> str:
        head = self.tokens[begins:opens]
        if "(" not in head:
            for kind, words in [("namespace", {"namespace", "extern"}), ("enum", {"enum"}),
                                ("class", {"class", "struct", "union"})]:
                if words & set(head):
                    return kind
        return "block"

    def _is_declared(self, at: int, inside: list[str]) -> bool:
        before, after = self.at(at - 1), self.at(at + 1)
        if before in ("class", "struct", "union", "enum", "typename", "concept", "namespace", "define", "..."):
            return after != ";" and not self.is_name(at + 1)
        if before == "using":
            return after == "="
        if inside and inside[-1] == "enum":
            return before in ("{", ",")
        if before == "::":
            return self.ends_a_type(self.chain_begins(at) - 1)  # as in int A::name()
        return self.ends_a_type(at - 1) and after != "::"

    def _find_bindings(self, opens: int):
        """Declares what is new in auto [a, b], or in the captures of a lambda, [a = b]."""
        is_binding = self.at(opens - 1) == "auto" or (
            self.at(opens - 1) in ("&", "&&") and self.at(opens - 2) == "auto")
        at = opens + 1
        while self.at(at) not in ("]", ""):
            if self.is_name(at) and (is_binding or self.at(at + 1) == "="):
                self.local.add(self.at(at))
            at += 1

    def _find_more(self, at: int, lasting: bool):
        """Declares b and c in `int a = 1, b, c{2};`."""
        depth = 0
        for after in range(at + 1, len(self.tokens)):
            word = self.at(after)
            depth += (word in ("(", "[", "{", "<")) - (word in (")", "]", "}", ">"))
            if depth < 0 or (depth == 0 and word in (";", ":")):
                return
            if depth == 0 and word == "," and self.is_name(after + 1) and self.at(after + 2) in (
                    ",", ";", "=", "{"):
                self._declare(after + 1, lasting)

    def uses(self):
        """All names that must be known: (line, name, whether it is neither a member nor after a ::)."""
        for at, word in enumerate(self.tokens):
            before, after = self.at(at - 1), self.at(at + 1)
            root = self.chain_begins(at)
            if (not self.is_name(at) or word in MACROS or (word in NAMESPACES and after == "::")
                    or (root != at and self.at(root) in LIBRARIES)
                    or (word == "define" and before == "#")):
                continue
            qualified = before in (".", "->") or (before == "::" and self.at(root) != "::")
            if not (qualified and word in STANDARD):
                yield self.lines[at], word, before not in (".", "->", "::")


class Page:
    """A page's listings, its headings, and its sentences with the names that each introduces."""

    def __init__(self, text: str):
        self.listings: list[Listing] = []
        lines, block = [], None
        fence = language = ""
        spans: list[str] = []

        def number(span: re.Match) -> str:
            spans.append(span[2])
            return f"Code{len(spans) - 1}"
        for at, line in enumerate(text.split("\n"), 1):
            found = FENCE.match(line)
            if found and not fence:
                fence, language, block = found[1], found[2], []
                of_other_code = bool(lines and OTHER_CODE.match(lines[-1].strip()))
                indent = len(line) - len(line.lstrip())
            elif found and found[1].startswith(fence) and not found[2]:
                if block and (language == "cpp" or (language == "diff" and not of_other_code)):
                    self.listings.append(Listing(block, language == "diff"))
                fence = ""
            elif fence:
                block.append((at, line[indent:]))
            lines.append(line if fence or found else SPAN.sub(number, line))
        words = prose.prose_of("\n".join(lines))
        self.headings = [at for at, line in enumerate(words, 1) if line.startswith("#")]
        self.introduced: list[tuple[int, set[str]]] = []
        folded = self._folded(lines)
        for at, sentence in prose.sentences_of(words):
            if at not in folded and says_something(sentence):
                codes = [spans[int(code)] for code in re.findall(r"\bCode(\d+)", sentence)]
                self.introduced.append((at, {name for code in codes for name in names_in(code)}))

    @staticmethod
    def _folded(lines: list[str]) -> set[int]:
        inside, found = False, set()
        for at, line in enumerate(lines, 1):
            inside = (inside or line.lstrip().startswith("<details")) and "</details>" not in line
            found.update([at] if inside else [])
        return found

    def introduced_for(self, listing: Listing) -> set[str]:
        """What a reader has been told who has read on to the next heading."""
        end = next((at for at in self.headings if at > listing.last), sys.maxsize)
        return {name for at, names in self.introduced for name in names if at < end}


def says_something(sentence: str) -> bool:
    rest = re.sub(r"\bCode\d+\w*", " ", sentence)
    return prose.words_in(rest) >= FEW_WORDS and bool(VERBS.search(rest)) and not rest.rstrip().endswith("?")


def names_in(span: str) -> list[str]:
    """The names in some text in code font; none in a path, a command or an option."""
    if re.match(r"[-$.]|.*/", span) or re.search(r"\.(?:h|cpp|py|md)\b", span):
        return []
    return NAME.findall(NOT_CODE.sub(" ", span))


def unexplained(pages: dict[str, str]) -> dict[str, dict[str, int]]:
    """For each page, the names that are not explained, and the lines on which they are first used."""
    found: dict[str, dict[str, int]] = {}
    known: set[str] = set()
    for name, text in pages.items():
        page, local = Page(text), set()
        found[name] = {}
        for listing in page.listings:
            for version in listing.versions:
                known |= version.lasting
                local |= version.local
            introduced = page.introduced_for(listing)
            for version in listing.versions:
                for line, word, is_bare in version.uses():
                    if not (word in known or word in introduced or (word in local and is_bare)):
                        found[name].setdefault(word, line)
        known |= {word for _, words in page.introduced for word in words}
    return found


def problems(pages: dict[str, str], exceptions: dict[str, str]) -> list[str]:
    found = unexplained(pages)
    said = [f"{page}: line {line}: `{word}` is used in a listing, but no page so far says what it is"
            for page, words in found.items() for word, line in sorted(words.items(), key=lambda pair: pair[1])
            if word not in exceptions]
    needed = {word for words in found.values() for word in words}
    said += [f"EXCEPTIONS: `{word}` is explained by now, or used no longer" for word in exceptions
             if word not in needed]
    said += [f"EXCEPTIONS: `{word}` needs a reason" for word, why in exceptions.items() if not why.strip()]
    if len(exceptions) > MOST_EXCEPTIONS:
        said.append(f"EXCEPTIONS has {len(exceptions)} names; {MOST_EXCEPTIONS} are allowed")
    return said


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--count"]
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    pages = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
             for path in sorted((root / "book").glob("[0-9][0-9]*.md")) if FIRST <= int(path.name[:2]) <= LAST}
    if "--count" in sys.argv:
        counts = {page: len(words) for page, words in unexplained(pages).items()}
        for page, count in {**counts, "in all": sum(counts.values())}.items():
            print(f"{count:5}  {page}")
        return 0
    said = problems(pages, EXCEPTIONS)
    print("\n".join(said) or "every name in the story's listings is explained")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
