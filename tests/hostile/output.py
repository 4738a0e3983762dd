"""71 to 73: what a server sends, but must not reach a terminal, a spreadsheet or a graph."""
from cases import Case
from expect import error, failed, file, like, page, redirect
from pieces import http, ok, page as a_page, redirect as to, status

ESCAPES = "\x1b[31m\x07\x1b]0;title\x07\x9b2J\xe2\x80\xae"  # colours, a bell, another title; U+202E, in UTF-8

CASES = [
    Case("71a", "escapes in the reason phrase",
         {"/case": status(404, reason=ESCAPES)},
         {"/case": error(404)}),
    Case("71b", "escapes in the Content-Type",
         {"/case": ok("x", type=f"text/{ESCAPES}; charset={ESCAPES}")},
         {"/case": file(content_type=like("text/\x1b.31m.*"), charset=like("\x1b.*"))}),
    Case("71c", "escapes in a Location that is no URL",
         {"/case": to(f"http://{ESCAPES}/")},
         {"/case": error(302, like("redirect to what is no URL: http://\x1b.31m.*"))}),
    Case("71d", "escapes in a Location for another program",
         {"/case": to(f"mailto:{ESCAPES}")},
         {"/case": redirect(next_url=like("mailto:.*"))}),
    Case("71e", "escapes in a link",
         {"/*": a_page()},
         {"/%1B[31m%07%1B]0;title%07%C2%9B2J%E2%80%AE": page()},
         links=["/\x1b[31m\x07\x1b]0;title\x07\xc2\x9b2J\xe2\x80\xae"]),
    Case("71f", "escapes in the status line",
         {"/case": http(f"HTTP/1.1 {ESCAPES} OK", body="x")},
         {"/case": failed("not an HTTP response")}),
    Case("72a", "quotes, semicolons and formulas in the Content-Type",
         {"/case": ok("x", type='=cmd|"calc",;</script>]]>\\')},
         {"/case": file(content_type='=cmd|"calc",')}),
    Case("72b", "quotes and formulas in a Location for another program",
         {"/case": to('mailto:"a,b"\\=cmd|x;<!--')},
         {"/case": redirect(next_url='mailto:"a,b"\\=cmd|x;<!--')}),
    Case("72c", "quotes in links",
         {"/*": a_page()},
         {"/%22%3Cscript%3E?%27,;]]%3E": page(), "/=cmd|x": page()},
         links=["/&quot;<script>?',;]]>", "/=cmd|x"]),
    Case("73", "bytes that are no UTF-8 in the Content-Type",
         {"/case": ok("x", type="text/\xff\xc3\x28\xed\xa0\x80; charset=\xfe")},
         {"/case": file(content_type=like("text/\ufffd+\\(\ufffd+"), charset="\ufffd")}),
]
