// Where references are written: the line and the column of each, and the link's words.
#include "common/web/link_place.h"
#include "common/web/links.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using common::LinkPlace;
using tests::url_of;

namespace {

common::LinkLimits with_places() {
    common::LinkLimits limits;
    limits.places = 1000;
    limits.assets = true;
    limits.ids = true;
    return limits;
}

/// "3:7 a x.html [Here]" for each reference, in lines.
std::string places_in(std::string_view page, const char* type = "text/html",
                      const common::LinkLimits& limits = with_places()) {
    const common::Links links =
        common::find_links(page, type, url_of("http://h/d/"), limits);
    std::string text;
    if (!links.places)
        return "none";
    for (const common::PlacesOnPage::One& one : links.places->list) {
        const LinkPlace place(*links.places, one);
        text += fmt::format("{}:{} {} {} [{}]\n", place.line(), place.column(),
                            common::name_of(place.role()), place.href(), place.text());
    }
    return text;
}

} // namespace

TEST_CASE("a reference's place is where its URL begins, in lines and characters") {
    CHECK(places_in("<a href=x>One</a>") == "1:9 a x [One]\n");
    CHECK(places_in("<p>\n \xc3\xa9\xe2\x82\xac<a\n class='b'\n  href = 'x'>One</a>")
          == "4:11 a x [One]\n");
    CHECK(places_in("\r\n\r\n<a href=x>1</a>\r<a href=y>2</a>")
          == "3:9 a x [1]\n4:9 a y [2]\n");
    CHECK(places_in("\xef\xbb\xbf<a href=x>One</a>") == "1:9 a x [One]\n");
    CHECK(places_in("<a href=x>One</a> <a href=x>Two</a> <a href='#y'>Three</a>")
          == "1:9 a x [One]\n1:27 a x [Two]\n1:46 a #y [Three]\n");
}

TEST_CASE("in another encoding, places are the same") {
    std::string page = "<meta charset=windows-1251>\n";
    for (int i = 0; i < 1000; ++i) // so that it takes memory of its own
        page += "\xcf\xf0\xe8\xe2\xe5\xf2\n";
    CHECK(places_in(page + "\xcf\xf0 <a href='x?\xcf'>\xcf</a>")
          == "1002:13 a x?%CF [\xd0\x9f]\n");
}

TEST_CASE("references that come in another order than they are written have their own") {
    // For an img, src is taken before srcset.
    CHECK(places_in("<img\nsrcset='a.png 1x,\nb.png 2x'\nsrc=c.png alt='A b'>")
          == "4:5 img c.png [A b]\n2:9 img a.png [A b]\n3:1 img b.png [A b]\n");
}

TEST_CASE("a reference with character references is found all the same") {
    CHECK(places_in("<a href='a&amp;b'>x</a>") == "1:10 a a&b [x]\n");
    CHECK(places_in("\n<img srcset='a&amp;b 1x, c 2x'>")
          == "2:14 img a&b []\n2:14 img c []\n");
    CHECK(places_in("<p style=\"background: url('b.png')\">") == "1:28 css b.png []\n");
    CHECK(places_in("<style>\np { background: url(b.png) }</style>")
          == "2:21 css b.png []\n");
}

TEST_CASE("a link's words are what a reader sees, in one line") {
    CHECK(places_in("<a href=x>\n  The <b>bold</b>\t&amp; the\n<i>rest</i> </a>")
          == "1:9 a x [The bold & the rest]\n");
    CHECK(places_in("<a href=x><img src=y alt='A cat'></a>")
          == "1:9 a x [A cat]\n1:20 img y [A cat]\n");
    CHECK(places_in("<a href=x>&nbsp;de&nbsp;</a>") == "1:9 a x [de]\n");
    CHECK(places_in("<a href=x></a>") == "1:9 a x []\n");
    CHECK(places_in("<a href=x>One <a href=y>Two") == "1:9 a x [One]\n1:23 a y [Two]\n");
    CHECK(places_in("<area href=x alt=Map>") == "1:12 a x [Map]\n");
    CHECK(places_in("<iframe title='Frame' src=x></iframe>") == "1:27 frame x [Frame]\n");
    const std::string words = places_in("<a href=x>" + std::string(500, 'w') + "</a>");
    CHECK(words == "1:9 a x [" + std::string(80, 'w') + "...]\n");
    const std::string letters =
        places_in("<a href=x>" + std::string(79, 'w') + "\xc3\xa9\xc3\xa9\xc3\xa9</a>");
    CHECK(letters == "1:9 a x [" + std::string(79, 'w') + "\xc3\xa9...]\n");
}

TEST_CASE("what is in a document within an attribute has the attribute's place, if it's "
          "another text") {
    CHECK(places_in("\n<iframe srcdoc='<a href=x>One</a>'></iframe>")
          == "2:25 a x [One]\n");
    CHECK(places_in("\n<iframe srcdoc='&lt;a href=x>One</a>'></iframe>")
          == "2:1 a x [One]\n");
}

TEST_CASE("references with a base of their own have their places, too") {
    CHECK(places_in("<a href=o>Out</a><iframe srcdoc='<base href=/b/><a href=x>In</a>'>"
                    "</iframe><a href=p>p</a>")
          == "1:9 a o [Out]\n1:84 a p [p]\n1:57 a x [In]\n");
}

TEST_CASE("in XML, places are the same") {
    const char* const type = "application/xhtml+xml";
    const std::string open = "<html xmlns='http://www.w3.org/1999/xhtml'>\n";
    CHECK(
        places_in(open + "<p>\xc3\xa9 <a class='c' href='x'>One <b>b</b></a></p></html>",
                  type)
        == "2:25 a x [One b]\n");
    CHECK(
        places_in(open + "<a href='a&amp;b'>x</a><img src='p.png' alt='P'/></html>", type)
        == "2:10 a a&b [x]\n2:34 img p.png [P]\n");
    CHECK(places_in("\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>\n" + open
                        + "<a href='x'>x</a></html>",
                    type)
          == "3:10 a x [x]\n");
    // It's another text for libxml2, so only the line is known.
    CHECK(places_in("<?xml version='1.0' encoding='iso-8859-1'?>\n" + open
                        + "<p>\xe9</p>\n<a href='x'>x</a></html>",
                    type)
          == "4:0 a x []\n");
    // libxml2 gets a document in parts.
    CHECK(places_in(open + "<!--" + std::string(40'000, ' ')
                        + "-->\n<a href='x'>One</a></html>",
                    type)
          == "3:10 a x [One]\n");
    CHECK(places_in("<rss><channel>\n<item><link>x.html</link></item></channel></rss>",
                    "application/rss+xml")
          == "2:7 a x.html []\n");
}

TEST_CASE("a link that ends behind a document in an attribute has its own tag's place") {
    CHECK(places_in("<rss xmlns:h='http://www.w3.org/1999/xhtml'><channel><item>\n"
                    "<link>x.html<h:iframe srcdoc='&lt;a href=y>&lt;/a>'/></link></item>"
                    "</channel></rss>",
                    "application/rss+xml")
              .find("a x.html []\n")
          != std::string::npos);
}

TEST_CASE("in a style sheet, places are those of its URLs") {
    const std::string css =
        "@import 'a.css';\np { background: url( b.png ), url('\\63.png') }";
    CHECK(places_in(css, "text/css")
          == "1:10 stylesheet a.css []\n2:22 css b.png []\n1:1 css c.png []\n");
    CHECK(places_in("<p style=\"background: url('\\63.png')\">")
          == "1:11 css c.png []\n"); // where the style begins
}

TEST_CASE("places that no one wants are not looked for, and there is a limit") {
    common::LinkLimits limits;
    CHECK(places_in("<a href=x>One</a>", "text/html", limits) == "none");
    limits.places = 2;
    CHECK(places_in("<a href=x>1</a><a href=x>2</a><a href=x>3</a>", "text/html", limits)
          == "1:9 a x [1]\n1:24 a x [2]\n");
}

TEST_CASE("the place of a link to a fragment belongs to the fragment") {
    const common::Links links =
        common::find_links("<a href=x>1</a>\n<a href=x#a>2</a><a href=y#b>3</a>",
                           "text/html", url_of("http://h/"), with_places());
    REQUIRE(links.fragments.places.size() == 2);
    for (const auto& [at, words] : {std::pair(0U, "2"), std::pair(1U, "3")}) {
        const std::uint32_t written = links.fragments.places[at].written;
        REQUIRE(written < links.places->list.size());
        CHECK(links.places->words(links.places->list[written]) == words);
    }
}

TEST_CASE("a page in one long line takes time in proportion to its length") {
    std::string page;
    for (int i = 0; i < 100'000; ++i) // in a quadratic time, it would take minutes
        page += "<img srcset='a 1x' src=b>";
    common::LinkLimits limits = with_places();
    limits.places = 200'000;
    const common::Links links =
        common::find_links(page, "text/html", url_of("http://h/"), limits);
    REQUIRE(links.places->list.size() == 200'000);
    CHECK(links.places->list.back().column == 25 * 99'999 + 14);
}

TEST_CASE("a kept place is a value, and may be unknown") {
    const common::Links links = common::find_links("<a href=x>One</a>", "text/html",
                                                   url_of("http://h/"), with_places());
    LinkPlace place(*links.places, links.places->list.at(0));
    LinkPlace copy = place;
    CHECK(copy.text() == "One");
    copy = LinkPlace();
    CHECK(!copy.is_known());
    CHECK(place.href() == "x");
    copy = std::move(place);
    CHECK(copy.line() == 1);
    CHECK(sizeof(LinkPlace) == sizeof(void*));
}
