"""31 to 44: redirects that lead nowhere, in circles or astray; URLs that are odd or made to confuse."""
from cases import Case
from expect import Expected, error, failed, like, page, redirect, unclear
from pieces import KEEP, http, ok, page as a_page, redirect as to, status

NO_IPV4 = failed("not a URL: its host ends in a number, but isn't an IPv4 address")
# Links whose hosts are none.
NO_URLS = {
    "http://a%2Fb/": failed("not a URL: its host contains a /"),
    "http://a%00b/": failed("not a URL: its host contains a control character"),
    "http://a b/": failed("not a URL: its host contains a blank"),
    "http://[::1/": failed("not a URL: the brackets don't hold an IPv6 address"),
    "http://1.2.3.4.5/": NO_IPV4,
    "http://0x100000000/": NO_IPV4,
    "http://%C2%AD/": unclear("perhaps not a URL: its host has letters that can't be converted"),
    "http:///": failed("not a URL: it has no host"),
    "http://a:99999/": failed("not a URL: its port isn't a number up to 65535"),
    "http://%zz/": failed("not a URL: its host contains a %"),
}
SECRET = {"/*": a_page(text="secret")}


def nobody_asked(served, result, records):
    """The other host must not get a request."""
    if served.other.requests:
        yield f"another host got requests for {served.other.paths()}"


def leads_to(location, next_url, **more):
    """/case redirects to a page on the same host."""
    path = next_url.replace("{here}", "")
    return dict(answers={"/case": [http("HTTP/1.1 302 Found", f"Location: {location}", "Content-Length: 0"), KEEP],
                         path: a_page()},
                expected={"/case": redirect(next_url="{here}" + path), path: page()}, links=["/case"], **more)


def leads_out(location, next_url, **more):
    """/case redirects to another host, which is recorded and nothing more."""
    return dict(answers={"/case": to(location)}, expected={"/case": redirect(next_url=next_url)}, **more)


def leads_nowhere(location, scheme):
    return dict(answers={"/case": to(location)},
                expected={"/case": error(302, f"redirect to {scheme}:, which no browser follows",
                                         next_url=location)})


def no_url(location, shown=None):
    return dict(answers={"/case": to(location)},
                expected={"/case": error(302, f"redirect to what is no URL: {shown or location}")})


def one_of_each_circle(served, result, records):
    """Exactly one hop closes it."""
    closed = [record["url"] for record in records if record["error"] == "redirect loop"]
    if len(closed) != 1:
        yield f"the circle is closed at {closed}"


def kept_to_the_roots(served, result, records):
    """The user's own header must not go astray."""
    for site, wanted in [(served.site, "secret"), (served.second, None), (served.other, None)]:
        for request in site.requests:
            if request.headers.get("authorization") != wanted:
                yield f"{site.origin}{request.path} got {request.headers.get('authorization')}"


def not_sent(*names):
    """No request has these headers."""
    def check(served, result, records):
        for request in served.site.requests:
            for name in set(names) & set(request.headers):
                yield f"{request.path}: {name} was sent"
    return check


def only_cookie(cookie):
    """No request has another one."""
    def check(served, result, records):
        for request in served.site.requests:
            if request.headers.get("cookie", cookie) != cookie:
                yield f"{request.path}: {request.headers['cookie']} was sent"
    return check


def no_login(served, result, records):
    yield from not_sent("authorization")(served, result, records)
    if b"s3cret" in result.output + result.said:
        yield "the password is printed"


def whole_lines(served, result, records):
    """No header was smuggled in."""
    for request in served.site.requests:
        if "evil" in request.headers or set(request.headers) - {"host", "user-agent", "accept", "accept-encoding"}:
            yield f"{request.path}: {request.headers}"


ANY_HOP = Expected(like("redirect|failed"), 302, like("(redirect loop)?"))  # of a circle
LOOP = failed("redirect loop", 302)

CASES = [
    Case("31a", "redirect to file:", **leads_nowhere("file:///etc/passwd", "file")),
    Case("31b", "redirect to gopher:", **leads_nowhere("gopher://127.0.0.1:70/x", "gopher")),
    Case("31c", "redirect to javascript:", **leads_nowhere("javascript:alert(1)", "javascript")),
    Case("31d", "redirect to mailto:", **leads_out("mailto:somebody@example.org", "mailto:somebody@example.org")),
    Case("32", "redirect to another host",
         **leads_out("{other}/secret", "{other}/secret", other=SECRET, check=nobody_asked)),
    Case("33a", "links to 127.0.0.1 in other spellings",
         {"/i": a_page(), "/h": a_page(), "/d": a_page(), "/p": a_page()},
         {"/i": page(), "/h": page(), "/d": page(), "/p": page()},
         links=["http://2130706433:{port}/i", "http://0x7f.1:{port}/h", "http://127.0.0.1.:{port}/d",
                "http://%31%32%37.0.0.1:{port}/p"]),
    Case("33b", "links to private addresses",
         {},
         {},
         links=["http://169.254.169.254/latest/meta-data/", "http://[::1]:{port}/", "http://[::ffff:127.0.0.1]:{port}/",
                "{other}/secret", "http://localhost.:{port}/"],
         other=SECRET, check=nobody_asked),
    Case("33c", "redirect to a private address",
         **leads_out("http://169.254.169.254/latest/meta-data/", "http://169.254.169.254/latest/meta-data/")),
    Case("33d", "redirect to IPv6 for 127.0.0.1",
         **leads_out("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/")),
    Case("34a", "301 without a Location",
         {"/case": status(301)},
         {"/case": error(301, "redirect without a target")}),
    Case("34b", "301 with an empty Location",
         {"/case": to("", 301)},
         {"/case": error(301, "redirect without a target")}),
    Case("35a", "redirect to itself",
         {"/case": to("/case")},
         {"/case": LOOP}),
    Case("35b", "two redirects in a circle",
         {"/a": to("/b"), "/b": to("/a")},
         {"/a": redirect(), "/b": LOOP},
         links=["/a"]),
    Case("35c", "chain of 50 redirects",
         {**{f"/c/{i}": to(f"/c/{i + 1}") for i in range(50)}, "/c/50": a_page()},
         {**{f"/c/{i}": redirect() for i in range(20)}, "/c/20": failed("redirect limit reached", 302)},
         links=["/c/0"]),
    Case("35d", "redirects without end, to another query each time",
         {"/c*": lambda request: to(f"/c?{int(request.path[3:]) + 1}")(request)},
         {**{f"/c?{i}": redirect() for i in range(20)}, "/c?20": failed("redirect limit reached", 302)},
         links=["/c?0"]),
    Case("35e", "circle of three, with links to each",
         {"/a": to("/b"), "/b": to("/c"), "/c": to("/a")},
         {"/a": ANY_HOP, "/b": ANY_HOP, "/c": ANY_HOP},
         exit=1, check=one_of_each_circle, not_in_index="which of them closes it, is chance"),
    Case("36a", "Location with blanks", **leads_to("  /with two blanks  ", "/with%20two%20blanks")),
    Case("36b", "Location with a tab", **leads_to("/ta\tb", "/tab")),
    Case("36c", "Location with control bytes", **leads_to("/a\x01\x1b[31mb", "/a%01%1B[31mb")),
    Case("36d", "Location in UTF-8", **leads_to("/caf\xc3\xa9", "/caf%C3%A9")),
    Case("36e", "Location in Latin-1", **leads_to("/caf\xe9", "/caf%E9")),
    Case("36f", "Location with a fragment", **leads_to("/found#part", "/found")),
    Case("36g", "Location that is a query", **leads_to("?q", "/case?q")),
    Case("36h", "Location with dots", **leads_to("/a/./b/../../found", "/found")),
    Case("36i", "two Locations",
         {"/case": [http("HTTP/1.1 302 Found", "Location: /found", "Location: /other", "Content-Length: 0"), KEEP],
          "/found": a_page()},
         {"/case": failed("conflicting Location headers", tries=1)},
         links=["/case"]),
    Case("36j", "Location of 90 kB",
         {"/case": to("/" + "a" * 90_000)},
         {"/case": failed("headers larger than 64 KiB")}),
    Case("36k", "Location of 20 kB", **no_url("/" + "a" * 20_000, "/" + "a" * 199)),
    Case("37a", "Location: http:///x", **leads_out("http:///evil.example/x", "http://evil.example/x")),
    Case("37b", "Location: http:\\\\evil\\x", **leads_out("http:\\\\evil.example\\x", "http://evil.example/x")),
    Case("37c", "Location: //evil/x", **leads_out("//evil.example/x", "http://evil.example/x")),
    Case("38a", "300 with a Location",
         {"/case": to("/found", 300)},
         {"/case": error(300)}),
    Case("38b", "304 with a Location",
         {"/case": to("/found", 304)},
         {"/case": error(304, "HTTP status 304 (not modified) to a request without a condition")}),
    Case("38c", "308 with a Location",
         {"/case": to("/found", 308), "/found": a_page()},
         {"/case": redirect(308, next_url="{here}/found"), "/found": page()},
         links=["/case"]),
    Case("39a", "links whose hosts are none",
         {},
         NO_URLS,
         links=[url.replace("%C2%AD", "&#xAD;") for url in NO_URLS]),
    Case("39b", "redirect to a host that is none", **no_url("http://a%2Fb/")),
    Case("39c", "redirect to a host with a zero byte in it", **no_url("http://a%00b/")),
    Case("40a", "link with a login",
         {"/case": a_page()},
         {"/case": page()},
         links=["http://user:s3cret@127.0.0.1:{port}/case"], check=no_login),
    Case("40b", "links with another host behind an @",
         {"/@127.0.0.2/case": a_page()},
         {"/@127.0.0.2/case": page()},
         links=["http://127.0.0.1:{port};@127.0.0.2/", "http://127.0.0.1:{port}\\@127.0.0.2/case"]),
    Case("41", "redirects that would take the user's header along",
         {"/case": to("{second}/case"), "/out": to("{other}/secret")},
         {"/case": redirect(), "/out": redirect(), "{second}/case": page()},
         links=["/case", "/out"], options=("--header", "Authorization: secret"),
         second={"/case": a_page()}, other=SECRET, check=kept_to_the_roots,
         not_in_index="its option is for one site"),
    Case("42a", "cookies for everybody",
         {"/case": ok("x", "Set-Cookie: a=b; domain=com", "Set-Cookie: a=\x01\x1b; domain=0.0.1", "Set-Cookie: c=d")},
         {"/case": page()},
         check=only_cookie("c=d"), not_in_index="its cookie goes to all ports of its host"),
    Case("42b", "ten thousand cookies",
         {"/case": ok("x", *(f"Set-Cookie: a{i}=b" for i in range(10_000)))},
         {"/case": failed("headers larger than 64 KiB")},
         check=not_sent("cookie")),
    Case("43", "line ends in a link",
         {"/aEvil:%20yes": a_page(), "/b%0d%0aEvil:%20yes": a_page(), "/c": a_page()},
         {"/aEvil:%20yes": page(), "/b%0d%0aEvil:%20yes": page()},
         links=["/a&#13;&#10;Evil: yes", "/b%0d%0aEvil: yes"], check=whole_lines),
    Case("44", "links that are none",
         {},
         {},
         links=["javascript:alert(1)", "data:text/html,x", "mailto:a@b", "tel:1", "about:blank", "http:", "#", "",
                "file:///etc/passwd", "ftp://127.0.0.1/"]),
]
