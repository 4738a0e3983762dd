#include "common/links.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

/// The links of an HTML document at http://h/d/p.html, in order, a blank between them.
std::string links_of(std::string_view body,
                     std::string_view type = "text/html; charset=utf-8") {
    std::string result;
    for (const auto& url :
         common::find_links(body, type, *common::parse_url("http://h/d/p.html")))
        result += (result.empty() ? "" : " ") + url.href();
    return result;
}

} // namespace

TEST_CASE("links come out absolute, without fragment, in order, each once") {
    CHECK(links_of("<a href=z.html>z</a> <a href='/a#x'>a</a> <a href=\"z.html#y\">z</a>")
          == "http://h/d/z.html http://h/a");
}

TEST_CASE("every element that a crawler can follow counts") {
    CHECK(links_of("<map><area href=1></map>") == "http://h/d/1");
    CHECK(links_of("<iframe src=2></iframe>") == "http://h/d/2");
    CHECK(links_of("<frameset><frame src=3></frameset>") == "http://h/d/3");
    CHECK(links_of("<A HREF=4>") == "http://h/d/4");
    CHECK(links_of("<meta http-equiv=REFRESH content='5; URL=\"next.html\"'>")
          == "http://h/d/next.html");
    CHECK(links_of("<meta http-equiv=refresh content='0;next.html'>")
          == "http://h/d/next.html");
}

TEST_CASE("what is no link, or leads to no web page, is left out") {
    CHECK(
        links_of("<a>no href</a> <a name=x> <img src=i.png> <link href=s.css>").empty());
    CHECK(links_of("<a href='mailto:a@b'><a href='javascript:f()'><a href='tel:1'>")
              .empty());
    CHECK(links_of("<meta http-equiv=refresh content=30>").empty());
    CHECK(links_of("<meta name=description content='0;url=x'>").empty());
    CHECK(links_of("<!-- <a href=x> -->").empty());
}

TEST_CASE("the first base changes what relative links mean") {
    CHECK(links_of("<base href='/other/'><base href='/third/'><a href=a>")
          == "http://h/other/a");
    CHECK(links_of("<base target=_blank><base href='http://g/'><a href=a>")
          == "http://g/a");
    CHECK(links_of("<base href='mailto:x'><a href=a>") == "http://h/d/a");
}

TEST_CASE("references in attributes are decoded") {
    CHECK(links_of("<a href='x?a=1&amp;b=2'>") == "http://h/d/x?a=1&b=2");
    CHECK(links_of("<a href='&#x61;.html'>") == "http://h/d/a.html");
}

TEST_CASE("the charset that the server names is used") {
    CHECK(links_of("<a href='\xe9'>", "text/html; charset=iso-8859-1")
          == "http://h/d/%C3%A9");
    CHECK(links_of("<a href='\xc3\xa9'>", "text/html;charset=\"UTF-8\"")
          == "http://h/d/%C3%A9");
}

TEST_CASE("a link to the page itself is the page, not its folder") {
    CHECK(links_of("<a href='#top'>") == "http://h/d/p.html");
}

TEST_CASE("only documents that can hold links are read") {
    const std::string_view body = "<a href=x>";
    CHECK(links_of(body, "text/html") == "http://h/d/x");
    CHECK(links_of(body, "TEXT/HTML ; charset=x-unheard-of") == "http://h/d/x");
    CHECK(links_of(body, "application/xhtml+xml") == "http://h/d/x");
    CHECK(links_of(body, "text/xml") == "http://h/d/x");
    CHECK(links_of(body, "text/plain").empty());
    CHECK(links_of(body, "text/htmlx").empty());
    CHECK(links_of(body, "nonsense").empty());
    // Without a type, a body that looks like HTML is taken for it.
    CHECK(links_of(body, "") == "http://h/d/x");
    CHECK(links_of("a < b <a href=x>", "").empty());
}

TEST_CASE("broken documents are survived") {
    CHECK(links_of("").empty());
    CHECK(links_of("<a href=x").size() < 20);
    CHECK(links_of("<a href='x><b").size() < 20);
    CHECK(links_of("<p></div><a href=x><table><a href=y></p></table>")
          == "http://h/d/x http://h/d/y");
    CHECK(links_of(std::string(100'000, '<')).empty());
}
