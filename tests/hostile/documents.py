"""55 to 69: documents that slow a parser down, lose its links, or make it read what it should not."""
from cases import Case
from expect import page
from pieces import KEEP, Pause, http, ok, page as a_page

A_LINK = '<a href="/found">x</a>'
NOT_A_LINK = '<a href="/lost">x</a>'  # if it is taken for one, /lost has a record that isn't expected


def holds(body, *paths, type="text/html", **more):
    """A document with this body leads to these pages and no others."""
    paths = paths or ("/found",)
    answer = body if isinstance(body, list) else ok(body, type=type)
    return dict(answers={"/case": answer, **{path: a_page() for path in paths}},
                expected={"/case": page(links=len(paths)), **{path: page() for path in paths}}, links=["/case"], **more)


def holds_none(body, type="text/html", **more):
    return dict(answers={"/case": ok(body, type=type)}, expected={"/case": page(links=0)}, **more)


def in_chunks(*parts):
    """Each part arrives alone, after a pause."""
    framed = [b"%x\r\n%s\r\n" % (len(part), part.encode()) for part in parts]
    waits = [piece for part in framed for piece in (part, Pause(0.05))]
    head = http("HTTP/1.1 200 OK", "Content-Type: text/html", "Transfer-Encoding: chunked")
    return [head, *waits, b"0\r\n\r\n", KEEP]


def soon(seconds):
    """Reading it takes no longer than that. A quadratic parser would take more than ten times as long."""
    def check(served, result, records):
        took = max(record["seconds"] for record in records if record["url"] == served.url("/case"))
        if took > seconds:
            yield f"it took {took:.1f} s"
    return check


def with_entities(declarations, text):
    return (f'<?xml version="1.0"?>\n<!DOCTYPE x [\n{declarations}\n]>\n'
            f'<html xmlns="http://www.w3.org/1999/xhtml">{A_LINK}{text}</html>')


def with_entities_of_ours(request):
    url = f"{request.site.origin}/entities"
    return ok(with_entities(f'<!ENTITY % p SYSTEM "{url}">\n%p;', "x"), type="application/xhtml+xml")


def nobody_reads_entities(served, result, records):
    if "/entities" in served.site.paths():
        yield "the entities were asked for"


LAUGHS = '<!ENTITY l0 "ha">\n' + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">\n' for i in range(1, 10))

CASES = [
    Case("55", "100,000 attributes on a tag",
         **holds("<p" + "".join(f" a{i}=x" for i in range(100_000)) + f">{A_LINK}"), check=soon(30)),
    Case("56", "100,000 tags that nobody closes, and as many ends of others",
         **holds("<div>" * 100_000 + "</p>" * 100_000 + A_LINK), check=soon(30)),
    Case("57", "100,000 tags, each in the one before",
         **holds("<b>" * 100_000 + A_LINK), check=soon(30)),
    Case("58a", "script of 1.5 MB, and then a link",
         **holds("<script>" + "x = 1;\n" * 210_000 + "</script>" + A_LINK)),
    Case("58b", "script of 20 MB, and then a link",
         **holds("<script>" + "x = 1;\n" * 2_900_000 + "</script>" + A_LINK),
         options=("--max-body", "32M"), not_in_index="it's larger than other bodies may be"),
    Case("59a", "end of a script, cut by chunks",
         **holds(in_chunks("<script>x</scr", "ipt>", A_LINK, "<script>y</script", ">"))),
    Case("59b", "link, cut by chunks",
         **holds(in_chunks("<a hr", "ef='/fo", "und'>x"))),
    Case("60", "zero bytes in a text, a tag, an attribute, a script",
         **holds(f"a\0b{A_LINK}<a\0b href='/lost'><a hr\0ef='/lost'><a href='/a\0b'><script>\0</script>"
                 "<a href='/last'>", "/found", "/a%EF%BF%BDb", "/last")),
    Case("61", "&#0; in a link",
         **holds("<a href='/a&#0;b'>", "/a%EF%BF%BDb")),
    Case("62", "UTF-8, which nobody says",
         **holds("<a href='/caf\xc3\xa9'>", "/caf%C3%A9")),
    Case("63a", "UTF-16, with its mark",
         **holds("\ufeff<a href='/caf\xe9'>".encode("utf-16-le"), "/caf%C3%A9")),
    Case("63b", "UTF-8 that is none",
         **holds("<a href='/a\xff\xfeb'>", "/a%EF%BF%BD%EF%BF%BDb", type="text/html; charset=utf-8")),
    Case("63c", "charset that nobody knows",
         **holds("<a href='/caf\xc3\xa9'>", "/caf%C3%A9", type="text/html; charset=klingon")),
    Case("63d", "windows-1252, and UTF-7",
         **holds("+ADw-a href='/lost'+AD4- <a href='/caf\xe9'>", "/caf%C3%A9", type="text/html; charset=utf-7")),
    Case("64", "links where text is only text",
         **holds_none("".join(f"<{tag}>{NOT_A_LINK}</{tag}>" for tag in
                              ["textarea", "title", "xmp", "iframe", "noembed", "style", "script", "noframes"])
                      + f"<!-- {NOT_A_LINK} --><svg><![CDATA[{NOT_A_LINK}]]></svg><plaintext>{NOT_A_LINK}")),
    Case("65", "a comment that ends at once, a tag without blanks",
         **holds("<!--><a/href=/found><!---><a/x='1'href=/last>", "/found", "/last")),
    Case("66", "end in a tag",
         **holds_none("<p>x<a href='/lost' ")),
    Case("67", "blanks and line ends in links",
         **holds("<a href=' \n /found \t'><a href='/la\nst'>", "/found", "/last")),
    Case("68", "XML: a billion laughs",
         **holds(with_entities(LAUGHS, "&l9;"), type="application/xhtml+xml"), check=soon(30)),
    Case("69a", "XML: entity that is a file",
         **holds(with_entities('<!ENTITY f SYSTEM "file:///etc/passwd">', "&f;"), type="application/xhtml+xml")),
    # An entity for declarations, which is nowhere declared but outside: to libxml2, an error. It reads no further.
    Case("69b", "XML: entity that is a URL",
         {"/case": with_entities_of_ours, "/entities": ok("<!ENTITY x 'y'>", type="text/xml")},
         {"/case": page(links=0)},
         check=nobody_reads_entities),
]
