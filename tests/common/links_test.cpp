#include "common/web/html_scanner.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "common/web/response_links.h"
#include "common/web/url.h"
#include "tests/support/prelude.h"

namespace {

const std::string_view html = "text/html; charset=utf-8";
const std::string_view xhtml = "application/xhtml+xml; charset=utf-8";

common::Links found_in(std::string_view body, const common::LinkLimits& limits = {},
                       std::string_view type = html) {
    return common::find_links(body, type, *common::parse_url("http://h/d/p.html"),
                              limits);
}

/// The links of a document at http://h/d/p.html, in order, a blank between them.
std::string links_of(std::string_view body, std::string_view type = html) {
    std::string result;
    for (const auto& url : found_in(body, {}, type).urls)
        result.append(result.empty() ? "" : " ").append(url.href());
    return result;
}

/// What else is found there, if it's asked for: kind and URL, a blank after each.
std::string assets_of(std::string_view body, std::string_view type = html) {
    common::LinkLimits limits;
    limits.assets = true;
    std::string result;
    for (const auto& [url, role, is_wanted] : found_in(body, limits, type).others)
        result.append(name_of(role)).append(" ").append(url.target()).append(" ");
    return result;
}

/// The fragments of links that wait for another page, or are missing on this one.
std::string fragments_of(std::string_view body, std::string_view type = html) {
    common::LinkLimits limits;
    limits.ids = true;
    std::string result;
    const common::LinkFragments fragments = found_in(body, limits, type).fragments;
    for (const auto& place : fragments.places)
        result.append(fragments.pages.at(place.page).target())
            .append("#")
            .append(fragments.fragment(place).text)
            .append(" ");
    return result;
}

/// An attribute's value with its character references decoded.
std::string decoded(std::string_view value) {
    std::string storage;
    return std::string(common::decoded(value, storage));
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string result;
    for (std::size_t i = 0; i < times; ++i)
        result += text;
    return result;
}

} // namespace

TEST_CASE("links come out absolute, without fragment, in order, each once") {
    CHECK(links_of("<a href=z.html>z</a> <a href='/a#x'>a</a> <a href=\"z.html#y\">z</a>")
          == "http://h/d/z.html http://h/a");
    CHECK(links_of("<a href='z #y'><a href='z '><a href='z#y'><a href='./z'>")
          == "http://h/d/z%20 http://h/d/z");
}

TEST_CASE("links are found in every element that a crawler can follow") {
    CHECK(links_of("<map><area href=1></map>") == "http://h/d/1");
    CHECK(links_of("<iframe src=2></iframe>") == "http://h/d/2");
    CHECK(links_of("<frameset><frame src=3></frameset>") == "http://h/d/3");
    CHECK(links_of("<FrameSet><frameset></frameset><frame src=3>") == "http://h/d/3");
    CHECK(links_of("<A HREF=4>") == "http://h/d/4");
    CHECK(links_of("<meta http-equiv=REFRESH content='5; URL=\"next.html\"'>")
          == "http://h/d/next.html");
    CHECK(links_of("<meta http-equiv=refresh content='0;next.html'>")
          == "http://h/d/next.html");
}

TEST_CASE("elements that lead to no web page are left out") {
    CHECK(
        links_of("<a>no href</a> <a name=x> <img src=i.png> <link href=s.css>").empty());
    CHECK(links_of("<a href='mailto:a@b'><a href='javascript:f()'><a href='tel:1'>")
              .empty());
    CHECK(links_of("<meta http-equiv=refresh content=30>").empty());
    CHECK(links_of("<meta name=description content='0;url=x'>").empty());
    CHECK(links_of("<!-- <a href=x> -->").empty());
    // HTML knows no frame without a frameset, and XML does.
    CHECK(links_of("<frame src=x><p><frame src=y>").empty());
    CHECK(links_of("<!--<frameset>--><frame src=x>").empty());
    CHECK(links_of("<r><frame src='x'/></r>", xhtml) == "http://h/d/x");
}

TEST_CASE("relative links are resolved against the first base element") {
    CHECK(links_of("<base href='/other/'><base href='/third/'><a href=a>")
          == "http://h/other/a");
    CHECK(links_of("<base target=_blank><base href='http://g/'><a href=a>")
          == "http://g/a");
    CHECK(links_of("<base href='mailto:x'><a href=a>") == "http://h/d/a");
    CHECK(links_of("<a href=x><base href=/other/>") == "http://h/other/x");
}

TEST_CASE("references in attributes are decoded") {
    CHECK(links_of("<a href='x?a=1&amp;b=2'>") == "http://h/d/x?a=1&b=2");
    CHECK(links_of("<a href='&#x61;.html'>") == "http://h/d/a.html");
    CHECK(links_of("<a href='http&colon;&sol;&sol;g&sol;x&NewLine;y'>") == "http://g/xy");
    CHECK(links_of("<iframe src='a?b&lbrack;c'>") == "http://h/d/a?b[c");
    CHECK(links_of("<base href='&sol;&sol;g'><a href=x>") == "http://g/x");
    CHECK(links_of("<meta http-equiv='&#114;efresh' content='0&semi;url&equals;x'>")
          == "http://h/d/x");
}

TEST_CASE("only documents that can hold links are read") {
    const std::string_view body = "<a href=x>";
    CHECK(links_of(body, "text/html") == "http://h/d/x");
    CHECK(links_of(body, "TEXT/HTML ; charset=x-unheard-of") == "http://h/d/x");
    CHECK(links_of("<a href='x'/>", xhtml) == "http://h/d/x");
    CHECK(links_of("<a href='x'/>", "text/xml") == "http://h/d/x");
    CHECK(links_of(body, "text/plain").empty());
    CHECK(links_of(body, "text/htmlx").empty());
    CHECK(links_of(body, "nonsense").empty());
    // Without a type, a body that looks like HTML is taken for HTML.
    CHECK(links_of(body, "") == "http://h/d/x");
    CHECK(links_of("a < b <a href=x>", "").empty());
    CHECK(links_of("\xef\xbb\xbf <a href=x>", "") == "http://h/d/x");
}

TEST_CASE("broken documents are parsed without failing") {
    CHECK(links_of("").empty());
    CHECK(links_of("<p></div><a href=x><table><a href=y></p></table>")
          == "http://h/d/x http://h/d/y");
    CHECK(links_of(std::string(100'000, '<')).empty());
}

// The rest follows the HTML Standard, section 13.2.5: tokenization.

TEST_SUITE("tags and attributes") {
    TEST_CASE("13.2.5.8: a blank or a slash ends a tag name") {
        CHECK(links_of("<a/href=x>") == "http://h/d/x");
        CHECK(links_of("<a\thref=x><a\nhref=y><a\fhref=z>")
              == "http://h/d/x http://h/d/y http://h/d/z");
        CHECK(links_of("<ab href=x><a-b href=x><a:b href=x>").empty());
        CHECK(links_of("< a href=x><a<b href=x>").empty());
        CHECK(links_of("<1a href=x>").empty());
    }
    TEST_CASE("13.2.5.32: an attribute name may begin with an equals sign or a quote") {
        CHECK(links_of("<a =href=x href=y>") == "http://h/d/y"); // "=href" is a name
        CHECK(links_of("<a / / href=x>") == "http://h/d/x");
        CHECK(links_of("<a '\"href=x href=y>") == "http://h/d/y");
        CHECK(links_of("<a hreflang=x href=y>") == "http://h/d/y");
        CHECK(links_of("<a b='1'href=x>") == "http://h/d/x"); // no blank between them
    }
    TEST_CASE("13.2.5.33: the first of two attributes of the same name counts") {
        CHECK(links_of("<a href=x href=y>") == "http://h/d/x");
        CHECK(links_of("<a href href=y>") == "http://h/d/p.html");
        CHECK(links_of("<a HREF=x>") == "http://h/d/x");
    }
    TEST_CASE("13.2.5.35: an attribute may have blanks around its = or no value") {
        CHECK(links_of("<a href = x>") == "http://h/d/x");
        CHECK(links_of("<a href\n=\n'x'>") == "http://h/d/x");
        CHECK(links_of("<a href=>x</a>") == "http://h/d/p.html"); // missing: empty
        CHECK(links_of("<a href=''>") == "http://h/d/p.html");
    }
    TEST_CASE("13.2.5.36 to 38: only its own quote or a blank ends a value") {
        CHECK(links_of("<a href='x>y'>") == "http://h/d/x%3Ey");
        CHECK(links_of("<a href=\"x'y\">") == "http://h/d/x'y");
        CHECK(links_of("<a href=x/y/>") == "http://h/d/x/y/");
        CHECK(links_of("<a href=x\"y'z>") == "http://h/d/x%22y'z");
        CHECK(links_of("<p title='<a href=x>'><a href=y>") == "http://h/d/y");
        CHECK(links_of("<p title=<a href=x><a href=y>") == "http://h/d/y");
        CHECK(links_of("</p title='<a href=x>'><a href=y>") == "http://h/d/y");
    }
    TEST_CASE("a tag that is cut off by the end of the file is ignored") {
        for (const char* text : {"<a href=x", "<a href='x'", "<a href='x", "<a href=x ",
                                 "<a", "<", "</", "<a href=", "<a href"}) {
            CAPTURE(text);
            CHECK(links_of(text).empty());
        }
    }
}

TEST_SUITE("places without tags") {
    TEST_CASE("13.2.5.43 to 52: comments end in every way the Standard allows") {
        CHECK(links_of("<!-- <a href=x> --><a href=y>") == "http://h/d/y");
        CHECK(links_of("<!--><a href=x>") == "http://h/d/x");
        CHECK(links_of("<!---><a href=x>") == "http://h/d/x");
        CHECK(links_of("<!----><a href=x>") == "http://h/d/x");
        CHECK(links_of("<!-- --!><a href=x>") == "http://h/d/x");
        CHECK(links_of("<!-- ---><a href=x>") == "http://h/d/x");
        CHECK(links_of("<!-- -- > <a href=x>").empty());
        CHECK(links_of("<!-- > <a href=x>").empty());
        CHECK(links_of("<!-- <!-- --><a href=x>") == "http://h/d/x");
    }
    TEST_CASE("13.2.5.41: bogus comments end at the first >") {
        CHECK(links_of("<!x <a href=x><a href=y>") == "http://h/d/y");
        CHECK(links_of("<?php '<a href=x>' ?><a href=y>") == "http://h/d/y");
        CHECK(links_of("</ <a href=x><a href=y>") == "http://h/d/y");
        CHECK(links_of("</><a href=x>") == "http://h/d/x");
        CHECK(links_of("<!DOCTYPE html \"><a href=x>") == "http://h/d/x");
        CHECK(links_of("<![CDATA[<a href=x>]]><a href=y>") == "http://h/d/y");
    }
    TEST_CASE("13.2.5.2 to 5: raw text elements hold no tags") {
        for (const char* name :
             {"title", "textarea", "style", "xmp", "noembed", "noframes", "iframe"}) {
            CAPTURE(name);
            const std::string open = fmt::format("<{}>", name);
            const std::string close = fmt::format("</{}>", name);
            CHECK(links_of(fmt::format("{}<a href=x></a>{}<a href=y>", open, close))
                  == "http://h/d/y");
            CHECK(links_of(fmt::format("{}<a href=x></{}x><a href=z>", open, name))
                      .empty());
            CHECK(links_of(fmt::format("{}<!--{}<a href=y>-->", open, close))
                  == "http://h/d/y");
        }
        CHECK(links_of("<TITLE></tItLe\n><a href=x>") == "http://h/d/x");
        CHECK(links_of("<plaintext></plaintext><a href=x>").empty());
        CHECK(links_of("<noscript><a href=x></noscript>") == "http://h/d/x");
        CHECK(links_of("<style/><a href=x>").empty()); // HTML has no such short form
    }
    TEST_CASE("13.2.5.15 to 31: scripts hold no tags, escaped or not") {
        CHECK(links_of("<script>'<a href=x>'</script><a href=y>") == "http://h/d/y");
        CHECK(links_of("<script><!-- </script><a href=y>") == "http://h/d/y");
        CHECK(links_of("<script><!--<script></script><a href=x>--></script><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<script><!--<script></script></script><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<script><!--<script>--></script><a href=y>") == "http://h/d/y");
        CHECK(links_of("<script><!--><script></script><a href=y>") == "http://h/d/y");
        CHECK(links_of("<script></scripty></script ><a href=y>") == "http://h/d/y");
        CHECK(links_of("<script><!--<scripty></script><a href=y>") == "http://h/d/y");
        CHECK(links_of("<script>a<b;c--></script><a href=y>") == "http://h/d/y");
    }
    TEST_CASE("the end tag of a script is found at any offset in a page") {
        const std::string page = "<script>x</script><a href=y>";
        for (std::size_t blanks = 0; blanks < 100; ++blanks)
            CHECK(links_of(std::string(blanks, ' ') + page) == "http://h/d/y");
    }
}

TEST_SUITE("SVG and MathML") {
    TEST_CASE("in SVG and MathML, CDATA is text and no element is raw text") {
        CHECK(links_of("<svg><![CDATA[<a href=x>]]></svg><a href=y>") == "http://h/d/y");
        CHECK(links_of("<math><![CDATA[ > <a href=x>]]><a href=y>") == "http://h/d/y");
        CHECK(links_of("<svg><style><a href=x></style></svg>") == "http://h/d/x");
        CHECK(links_of("<svg><g></g><![CDATA[ > <a href=x>]]></svg><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<svg></p><![CDATA[ > <a href=x>]]>") == "http://h/d/x");
        CHECK(links_of("<svg/><style><a href=x></style>").empty());
    }
    TEST_CASE("some SVG elements contain HTML and some tags end the SVG") {
        CHECK(links_of(
                  "<svg><foreignObject><style><a href=x></style></foreignObject></svg>")
                  .empty());
        CHECK(links_of("<svg><desc><![CDATA[><a href=x>]]></desc></svg>")
              == "http://h/d/x");
        CHECK(links_of("<svg><title><a href=x></title></svg><style><a href=y></style>")
              == "http://h/d/x");
        CHECK(links_of("<svg><p><style><a href=x></style>").empty());
        CHECK(links_of("<svg><g><style/><a href=x></svg><title><a href=y></title>")
              == "http://h/d/x");
        CHECK(links_of("<svg></svg><style><a href=x></style>").empty());
    }
    TEST_CASE("a tag that only HTML has ends an SVG that nothing else has ended") {
        for (const auto* name : {"a", "button", "td", "header", "form"})
            CHECK(
                links_of(fmt::format("<{}><svg></{}><iframe src=x></iframe>", name, name))
                == "http://h/d/x");
        CHECK(links_of("<svg><a href=y></a><iframe src=x></iframe>") == "http://h/d/y");
        CHECK(links_of("<svg><foreignObject></title><iframe src=x></iframe>")
              == "http://h/d/x");
        CHECK(links_of("<svg><foreignObject></title></svg><iframe src=x></iframe>")
              == "http://h/d/x");
    }
}

/// An SVG drawing as it stands in HTML, in XHTML, and by itself: what they refer to, the
/// same for all three.
static std::string svg_refers_to(std::string_view content) {
    constexpr std::string_view names = "xmlns='http://www.w3.org/2000/svg' "
                                       "xmlns:xlink='http://www.w3.org/1999/xlink'";
    const std::string svg = fmt::format("<svg {}>{}</svg>", names, content);
    const auto all_of = [](const std::string& body, std::string_view type) {
        return links_of(body, type) + " " + assets_of(body, type);
    };
    const std::string in_html = all_of(svg, html);
    CHECK(all_of(fmt::format("<html xmlns='http://www.w3.org/1999/xhtml'>{}</html>", svg),
                 xhtml)
          == in_html);
    CHECK(all_of(svg, "image/svg+xml") == in_html);
    return in_html;
}

TEST_SUITE("what SVG refers to") {
    TEST_CASE("elements of SVG refer to files, with href or xlink:href") {
        CHECK(svg_refers_to("<image xlink:href='1'/><image href='2'/><feImage href='3'/>")
              == " img /d/1 img /d/2 img /d/3 ");
        CHECK(svg_refers_to("<a xlink:href='1'><text>x</text></a><a href='2'/>")
              == "http://h/d/1 http://h/d/2 ");
        CHECK(svg_refers_to("<script href='1'/><script xlink:href='2'/>")
              == " script /d/1 script /d/2 ");
        CHECK(svg_refers_to("<use href='1.svg#a'/><use xlink:href='2.svg#a'/>")
              == " use /d/1.svg use /d/2.svg ");
        CHECK(
            svg_refers_to("<linearGradient href='1'/><radialGradient href='2'/><pattern "
                          "href='3'/><textPath href='4'/><mpath xlink:href='5'/>"
                          "<filter href='6'/>")
            == " use /d/1 use /d/2 use /d/3 use /d/4 use /d/5 use /d/6 ");
        CHECK(
            svg_refers_to("<a xlink:href='1' href='2'/><image href='3' xlink:href='4'/>")
            == "http://h/d/2 img /d/3 "); // href wins
    }
    TEST_CASE("a reference within the document needs no file") {
        CHECK(svg_refers_to("<use href='#a'/><use xlink:href=' #a'/><image href='#a'/>"
                            "<rect fill='url(#a)' style='mask:url(\"#b\")'/>")
              == " ");
        CHECK(svg_refers_to("<image href=''/><use/><a/>") == " ");
        CHECK(fragments_of("<svg><a href='#x'/><a xlink:href='#y'/><g id=y /></svg>")
              == "/d/p.html#x ");
    }
    TEST_CASE("style sheets and attributes of SVG refer to files") {
        CHECK(svg_refers_to("<style>@import url(1);a{fill:url('2?a&amp;b')}</style>")
              == " stylesheet /d/1 css /d/2?a&b ");
        CHECK(
            svg_refers_to("<style type='text/css'> <![CDATA[a>b{fill:url(1)}]]></style>")
            == " css /d/1 ");
        CHECK(svg_refers_to("<style/><g>url(1)</g><style></style><p1 style='a:url(2)'/>")
              == " css /d/2 ");
        CHECK(
            svg_refers_to(
                "<g fill='url(1.svg#a) red' stroke='url(&quot;2.svg#b&quot;)'/>"
                "<path filter='url(3)' mask='url(4)' clip-path='url(5)' "
                "marker-start='url(6)' marker-mid='url(7)' marker-end='url(8)'/>")
            == " css /d/1.svg css /d/2.svg css /d/3 css /d/4 css /d/5 css /d/6 css /d/7 "
               "css /d/8 ");
        CHECK(svg_refers_to("<g fill='url(\"1' mask='url(2)' id='url(3)' d='url(4)'/>")
              == " css /d/2 "); // the first one is broken
        CHECK(assets_of("<svg fill='url(1)' FILL='url(2)'><g/></svg>") == "css /d/1 ");
    }
    TEST_CASE("SVG has no elements of HTML, and HTML none of SVG") {
        CHECK(
            svg_refers_to("<link rel='icon' href='1'/><iframe src='2'/><form action='3'/>"
                          "<video src='4'/><area href='5'/><base href='/6/'/>"
                          "<a name='7' src='8'/><script src='9'/>")
            == " ");
        CHECK(assets_of("<use href=1><feImage href=2><p fill='url(3)'>") == "");
        CHECK(links_of("<a xlink:href=x>").empty());
        CHECK(assets_of("<svg><foreignObject><use href=1 /><img src=2></foreignObject>"
                        "<use href=3 /></svg><use href=4>")
              == "img /d/2 use /d/3 ");
        CHECK(assets_of("<svg><image href=1 /><img src=2><use href=3></svg>")
              == "img /d/1 img /d/2 "); // an img ends the SVG
        CHECK(assets_of("<div><svg><g></div><use href=1><link rel=icon href=2>")
              == "link /d/2 ");
        CHECK(links_of("<math><a href=x></math>") == "http://h/d/x");
        CHECK(assets_of("<math><image href=1 /><use href=2 /></math>") == "");
    }
    TEST_CASE("case and namespaces decide in XML, and not in HTML") {
        CHECK(assets_of("<SVG><FEIMAGE XLINK:HREF=1 /><textpath href=2 /></SVG>")
              == "img /d/1 use /d/2 ");
        const std::string_view in_xml = "<s:svg xmlns:s='http://www.w3.org/2000/svg' "
                                        "xmlns:l='http://www.w3.org/1999/xlink'>"
                                        "<s:image l:href='1'/><s:feimage href='2'/>"
                                        "<image href='3'/><s:use xlink='4'/></s:svg>";
        CHECK(assets_of(in_xml, "image/svg+xml; charset=utf-8") == "img /d/1 ");
        CHECK(assets_of("<svg><image href='1'/></svg>", "image/svg+xml") == "");
    }
}

TEST_SUITE("the srcdoc of an iframe") {
    TEST_CASE("what it refers to is found, and src isn't loaded") {
        CHECK(links_of("<iframe src=x srcdoc=\"<a href='y'><iframe src=z></iframe>\">"
                       "</iframe><a href=w>")
              == "http://h/d/y http://h/d/z http://h/d/w");
        CHECK(links_of("<iframe src=x srcdoc=''></iframe>").empty());
        CHECK(links_of("<iframe srcdoc='&lt;a href=&quot;x?a&amp;amp;b&quot;>'></iframe>")
              == "http://h/d/x?a&b");
        CHECK(assets_of("<iframe srcdoc=\"<link rel=stylesheet href=1><img srcset='2 2x'>"
                        "<style>a{b:url(3)}</style><p style='a:url(4)'>\"></iframe>")
              == "stylesheet /d/1 img /d/2 css /d/3 css /d/4 ");
        CHECK(links_of("<r><iframe src='x' srcdoc='&lt;p>&lt;a href=y>'/></r>", xhtml)
              == "http://h/d/y"); // it's HTML in XHTML, too
        CHECK(links_of("<iframe srcdoc='<template><a href=x></template><frame src=y>'>")
                  .empty());
        CHECK(links_of("<frameset><frame src=x srcdoc='<a href=y>'>") == "http://h/d/x");
    }
    TEST_CASE("its base is the page's, or its own, which isn't the page's") {
        CHECK(links_of("<iframe srcdoc='<a href=x>'></iframe><base href=/b/>")
              == "http://h/b/x");
        CHECK(links_of("<iframe srcdoc='<a href=x><base href=e/>'></iframe>"
                       "<base href=/b/><a href=y>")
              == "http://h/b/y http://h/b/e/x");
        // Twice: the inner one is relative to the outer one.
        CHECK(links_of("<iframe srcdoc=\"<base href=e/><a href=x><iframe srcdoc='"
                       "<base href=f/><a href=x>'></iframe><a href=y>\"></iframe>"
                       "<base href=/b/><a href=x>")
              == "http://h/b/x http://h/b/e/f/x http://h/b/e/x http://h/b/e/y");
        CHECK(links_of("<iframe srcdoc='<base href=mailto:a><a href=x>'></iframe>")
              == "http://h/d/x");
    }
    TEST_CASE("its ids and fragments are its own") {
        CHECK(fragments_of("<iframe srcdoc='<p id=a><a href=#b>'></iframe><a href=#a>")
              == "/d/p.html#a ");
        CHECK(fragments_of("<iframe id=c srcdoc='<a href=q#a>'></iframe><a href=#c>")
              == "/d/q#a ");
    }
    TEST_CASE("its refresh reloads the frame, and not the page") {
        common::LinkLimits limits;
        limits.wanted = [](const common::Url& url) { return url.host() == "h"; };
        const auto found = found_in(
            "<iframe srcdoc='<meta http-equiv=refresh content=0;url=http://g/>'>",
            limits);
        CHECK_FALSE(found.refreshes_to);
    }
    TEST_CASE("a few in each other are read, and not more") {
        const auto nested = [](int depth) {
            std::string page = "<a href=x>";
            for (int i = 0; i < depth; ++i) {
                std::string value;
                for (const char c : page) {
                    if (c == '&' || c == '"')
                        value += c == '&' ? "&amp;" : "&#34;";
                    else
                        value += c;
                }
                page = "<iframe srcdoc=\"" + value + "\"></iframe>";
            }
            return page;
        };
        CHECK(links_of(nested(4)) == "http://h/d/x");
        CHECK(links_of(nested(5)).empty());
        const std::string large(3'000'000, ' ');
        CHECK(links_of("<iframe srcdoc='<a href=x>" + large
                       + "'></iframe><iframe srcdoc='" + large
                       + "<a href=y>'></iframe><a href=z>")
              == "http://h/d/x http://h/d/z");
    }
}

TEST_SUITE("feeds") {
    constexpr std::string_view rss = "application/rss+xml; charset=utf-8";
    constexpr std::string_view atom = "application/atom+xml";

    static std::string in_rss(std::string_view content, std::string_view type = rss) {
        const std::string feed = fmt::format(
            "<?xml version='1.0'?><rss version='2.0' xmlns:atom='http://www.w3.org/2005/"
            "Atom' xmlns:media='http://search.yahoo.com/mrss/'>"
            "<channel>{}</channel></rss>",
            content);
        return links_of(feed, type) + " " + assets_of(feed, type);
    }
    static std::string in_atom(std::string_view content,
                               std::string_view attributes = "") {
        const std::string feed =
            fmt::format("<feed xmlns='http://www.w3.org/2005/Atom' {}>{}</feed>",
                        attributes, content);
        return links_of(feed, atom) + " " + assets_of(feed, atom);
    }

    TEST_CASE("RSS 2.0 has its links in text and in attributes") {
        CHECK(in_rss("<link>\n http://h/ </link><item><link><![CDATA[/a?b&c]]></link>"
                     "<comments>c&amp;d</comments></item>")
              == "http://h/ http://h/a?b&c http://h/d/c&d ");
        CHECK(in_rss("<item><guid>http://h/1</guid><guid isPermaLink='true'>http://h/2"
                     "</guid><guid isPermaLink='false'>http://h/3</guid><guid>4</guid>"
                     "</item>")
              == "http://h/1 http://h/2 ");
        CHECK(in_rss(
                  "<image><url>1</url><link>2</link></image><url>3</url><item><enclosure "
                  "url='4'/><source url='5'>x</source></item>")
              == "http://h/d/2 img /d/1 media /d/4 link /d/5 ");
        CHECK(in_rss("<link/><link> </link><enclosure/><comments></comments>") == " ");
        CHECK(in_rss("<textInput><link>1</link></textInput><link>2<b/>3</link>")
              == "http://h/d/23 form /d/1 ");
        for (const char* type : {"application/xml", "text/xml"})
            CHECK(in_rss("<link>1</link>", type) == "http://h/d/1 ");
    }
    TEST_CASE("elements of other namespaces in RSS count as what they are") {
        CHECK(in_rss("<atom:link rel='self' href='1'/><media:content url='2'/>"
                     "<media:thumbnail url='3'/><media:link>4</media:link>")
              == " link /d/1 media /d/2 img /d/3 ");
        CHECK(in_rss("<link xmlns='urn:x'>1</link><a href='2'/><description>&lt;a href=3>"
                     "</description><y:link xmlns:y='urn:y' href='4'/>")
              == " ");
    }
    TEST_CASE("RSS 1.0 is RDF") {
        const std::string_view feed =
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
            "xmlns='http://purl.org/rss/1.0/'><channel r:about='x'><link>1</link>"
            "<image r:resource='y'/></channel><image><url>2</url></image><item><link>3"
            "</link></item><l:link xmlns:l='urn:l'>4</l:link></r:RDF>";
        for (const char* type : {"application/rdf+xml", "application/xml", "text/xml"}) {
            CHECK(links_of(feed, type) == "http://h/d/1 http://h/d/3");
            CHECK(assets_of(feed, type) == "img /d/2 ");
        }
        CHECK(links_of("<RDF><link>1</link></RDF>", "text/xml").empty());
    }
    TEST_CASE("Atom's links say what they are for") {
        CHECK(in_atom("<link href='1'/><link rel='alternate' href='2'/><link rel='next' "
                      "href='3'/><link rel='self' href='4'/><link rel='enclosure' "
                      "href='5'/><link rel='edit' href='6'/><link rel='hub' href='7'/>")
              == "http://h/d/1 http://h/d/2 http://h/d/3 link /d/4 media /d/5 ");
        CHECK(in_atom("<entry><id>http://h/x</id><content src='1?a&amp;b'/></entry>"
                      "<icon>2</icon><logo> 3 </logo><link/><link rel='next'/>")
              == " object /d/1?a&b img /d/2 img /d/3 ");
        CHECK(in_atom("<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>"
                      "<a href='1'/><img src='2'/></div></content>")
              == "http://h/d/1 img /d/2 ");
        CHECK(links_of(
                  "<entry xmlns='http://www.w3.org/2005/Atom'><link href='1'/></entry>",
                  atom)
              == "http://h/d/1");
        CHECK(links_of("<feed><link href='1'/></feed>", atom).empty()); // not Atom's
    }
    TEST_CASE("xml:base counts in a feed, from its element inwards") {
        CHECK(in_atom("<link href='1'/>", "xml:base='http://h/b/'") == "http://h/b/1 ");
        CHECK(in_atom("<entry xml:base='e/'><link href='1'/></entry><link href='1'/>",
                      "xml:base='/b/'")
              == "http://h/b/e/1 http://h/b/1 ");
        CHECK(in_atom("<link href='1'/><link xml:base='/c/' href='2'/><link href='3'/>")
              == "http://h/d/1 http://h/d/3 http://h/c/2 ");
        CHECK(in_rss("<item xml:base='/b/'><link>1</link></item>") == "http://h/b/1 ");
        CHECK(in_rss("<item><link xml:base='/b/'>1</link></item>") == "http://h/b/1 ");
        CHECK(in_atom("<link xml:base='mailto:x' href='1'/>") == "http://h/d/1 ");
        CHECK(links_of("<r xml:base='/b/'><a href='x'/></r>", "text/xml")
              == "http://h/d/x"); // neither HTML nor SVG has it any more
    }
    TEST_CASE("bases of a feed may be in each other, as deep as they like") {
        std::string feed = "<feed xmlns='http://www.w3.org/2005/Atom'>";
        for (int i = 0; i < 9; ++i)
            feed += fmt::format("<entry xml:base='{}/'>", i);
        CHECK(links_of(feed + "<link href='x'/>", atom)
              == "http://h/d/0/1/2/3/4/5/6/7/8/x");
    }
    TEST_CASE("a feed that is cut off has the links it has, at their bases") {
        const std::string feed = "<feed xmlns='http://www.w3.org/2005/Atom' "
                                 "xml:base='/b/'><link href='1'/><entry xml:base='c/'>"
                                 "<link href='2'/>";
        CHECK(links_of(feed, atom) == "http://h/b/c/2 http://h/b/1");
        CHECK(links_of(feed + "<", atom) == "http://h/b/c/2 http://h/b/1");
    }
    TEST_CASE("a feed can't fill the memory with bases in each other") {
        std::string feed = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='1'/>"
                           "<entry xml:base='/"
                           + std::string(8000, 'b') + "/'>";
        for (int i = 0; i < 2000; ++i)
            feed += fmt::format("<link xml:base='c/' href='{}'/>", i);
        feed += "</entry><link href='2'/></feed>";
        const common::Links found =
            common::find_links(feed, atom, *common::parse_url("http://h/d/p.html"), {});
        CHECK(found.urls.size() == 2);
        CHECK(found.left_out == 2000);
    }
}

TEST_CASE("old and rare attributes refer to files, where they count") {
    CHECK(assets_of("<body background=1><table background=2><tbody background=3><tr "
                    "background=4><td background=5><th BACKGROUND=6 background=7>"
                    "<thead background=8><tfoot background=9>")
          == "img /d/1 img /d/2 img /d/3 img /d/4 img /d/5 img /d/6 img /d/8 img /d/9 ");
    CHECK(assets_of("<p background=1><a background=2><td background=''><img background=3>"
                    "<div background=4 style='a:url(5)'>")
          == "css /d/5 ");
    CHECK(assets_of("<r><td background='1&amp;2'/><div background='3' style=''/></r>",
                    xhtml)
          == "img /d/1&2 ");
    CHECK(find_links("<table background=1>", "text/html",
                     *common::parse_url("http://h/d/p.html"), {})
              .others.empty()); // without --assets
    CHECK(assets_of("<image src=1 srcset='2 2x'>") == "img /d/1 img /d/2 ");
    CHECK(assets_of("<r><image src='1'/></r>", xhtml) == "");
    CHECK(assets_of("<svg><image src=1 href=2 /></svg>") == "img /d/2 ");
}

TEST_CASE("a button may send its form elsewhere") {
    CHECK(assets_of("<form><button formaction=1></button><input formaction=2></form>")
          == "form /d/1 form /d/2 ");
    CHECK(assets_of("<form method=post><button formaction=1></button><button "
                    "formaction=2 formmethod=get></button></form>")
          == "form /d/2 ");
    CHECK(assets_of("<form method=get><input formaction=1 formmethod=POST></form>")
          == "");
    CHECK(assets_of("<form formaction=1><p formaction=2><button action=3></button>")
          == "");
    CHECK(assets_of("<form><button formaction=''></button><input type=image src=1 "
                    "action=2 formaction=3></form>")
          == "img /d/1 form /d/3 ");
    CHECK(assets_of("<r><form><button formaction='1'/></form></r>", xhtml)
          == "form /d/1 ");
}

TEST_CASE("a style element of XHTML is read") {
    CHECK(assets_of("<x xmlns='http://www.w3.org/1999/xhtml'><style>@import 'a';<![CDATA["
                    "b>c{d:url(e)}]]></style>url(f)</x>",
                    xhtml)
          == "stylesheet /d/a css /d/e ");
}

TEST_SUITE("templates") {
    TEST_CASE("what is in a template isn't part of the page") {
        CHECK(links_of("<template><a href=x></template><a href=y>") == "http://h/d/y");
        CHECK(links_of("<TEMPLATE/><a href=x></Template ><a href=y>") == "http://h/d/y");
        CHECK(links_of("<template><template></template><a href=x></template><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<template><a href=x>").empty()); // the page ends in it
        CHECK(links_of("</template><a href=x>") == "http://h/d/x");
        CHECK(links_of("<templates><a href=x>") == "http://h/d/x");
        CHECK(assets_of("<template><img src=x><style>a{b:url(c)}</style></template>"
                        "<img src=y>")
              == "img /d/y ");
        CHECK(fragments_of("<template id=a><p id=b></template><a href='#a'><a href='#b'>")
              == "/d/p.html#b ");
        CHECK(links_of("<template><base href=/t/></template><base href=/b/><a href=x>")
              == "http://h/b/x");
    }
    TEST_CASE("in a template, tags begin and end where they do elsewhere") {
        CHECK(links_of("<template><!--</template><a href=x>--></template><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<template><script>'</template>'</script></template><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<template><p title='</template>'><a href=x></template><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<template><svg><desc></template><style><a href=x></style>")
                  .empty()); // it's over, and so is the SVG
        CHECK(links_of("<template><svg><p></svg><a href=x></template><a href=y>")
              == "http://h/d/y");
        CHECK(links_of("<title><template></title><a href=x>") == "http://h/d/x");
    }
    TEST_CASE("a template that is a shadow root is part of the page") {
        for (const char* mode : {"open", "closed", "OPEN"})
            CHECK(links_of(fmt::format(
                      "<p><template shadowrootmode={}><a href=x></template>", mode))
                  == "http://h/d/x");
        CHECK(links_of("<template shadowrootmode><a href=x></template>").empty());
        CHECK(links_of("<template shadowrootmode=none><a href=x></template>").empty());
        CHECK(links_of("<template shadowrootmode=open><template><a href=x></template>"
                       "<a href=y></template><a href=z>")
              == "http://h/d/y http://h/d/z");
        CHECK(links_of("<template><template shadowrootmode=open><a href=x></template>"
                       "<a href=y></template><a href=z>")
              == "http://h/d/z");
        CHECK(links_of("<svg><template><a href=x></template>") == "http://h/d/x");
    }
    TEST_CASE("templates of XHTML are templates, too") {
        const auto in_xhtml = [](std::string_view body) {
            return links_of(
                fmt::format("<x xmlns='http://www.w3.org/1999/xhtml'>{}</x>", body),
                xhtml);
        };
        CHECK(in_xhtml("<template><template/><a href='x'/></template><a href='y'/>")
              == "http://h/d/y");
        CHECK(in_xhtml("<template/><a href='y'/>") == "http://h/d/y");
        CHECK(in_xhtml("<template><base href='/b/'/></template><a href='y'/>")
              == "http://h/d/y");
        CHECK(in_xhtml("<template shadowrootmode='open'><a href='x'/></template>")
              == "http://h/d/x");
        CHECK(in_xhtml("<Template><a href='x'/></Template>") == "http://h/d/x");
        CHECK(links_of("<r><template><a href='x'/></template></r>", "text/xml")
              == "http://h/d/x"); // whose template?
    }
}

TEST_SUITE("13.2.5.72 character references in attributes") {
    TEST_CASE("named references are decoded and unknown ones are kept") {
        CHECK(decoded("a&amp;b&lt;&gt;&quot;&apos;") == "a&b<>\"'");
        CHECK(decoded("&eacute;&euro;") == "\xc3\xa9\xe2\x82\xac");
        CHECK(decoded("&colon;&NewLine;&Tab;&nvlt;") == ":\n\t<\xe2\x83\x92");
        CHECK(decoded("&AMP;&Auml;&auml;&ThickSpace;")
              == "&\xc3\x84\xc3\xa4\xe2\x81\x9f\xe2\x80\x8a");
        CHECK(decoded("&unheardof;&Colon&newline;&;&")
              == "&unheardof;&Colon&newline;&;&");
        CHECK(decoded("a&b&c;") == "a&b&c;");
    }
    TEST_CASE(
        "the oldest names need no semicolon unless a letter, a digit or = follows") {
        CHECK(decoded("a&amp") == "a&");
        CHECK(decoded("&amp-&copy!") == "&-\xc2\xa9!");
        CHECK(decoded("?a=1&copy=2&copy2=3&ampx") == "?a=1&copy=2&copy2=3&ampx");
        CHECK(decoded("&euro &apos") == "&euro &apos");
        CHECK(decoded("&copy;=1&copy;r") == "\xc2\xa9=1\xc2\xa9r");
        // "not" would match, but a letter follows; "notin" needs its semicolon.
        CHECK(decoded("&notit;&notin&notin;&not") == "&notit;&notin\xe2\x88\x89\xc2\xac");
    }
    TEST_CASE("numeric references are decoded and invalid ones are replaced") {
        CHECK(decoded("&#65;&#x42;&#X43;&#68") == "ABCD");
        CHECK(decoded("&#128;&#x99;") == "\xe2\x82\xac\xe2\x84\xa2");
        CHECK(decoded("&#0;&#xd800;&#x110000;&#99999999999999999999;")
              == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
        CHECK(decoded("&#x1F4A9;") == "\xf0\x9f\x92\xa9");
        CHECK(decoded("&#x7f;&#x80f;&#x7ff;&#x800;")
              == "\x7f\xe0\xa0\x8f\xdf\xbf\xe0\xa0\x80");
        CHECK(decoded("&#xffff;&#x10000;") == "\xef\xbf\xbf\xf0\x90\x80\x80");
        CHECK(decoded("&#;&#x;&#xg;") == "&#;&#x;&#xg;");
        CHECK(decoded("&#65=&#65a&#x41g") == "A=AaAg"); // a number ends at its last digit
        // Odd characters, but they are kept.
        CHECK(decoded("&#xfdd0;&#x1fffe;&#x81;&#13;")
              == "\xef\xb7\x90\xf0\x9f\xbf\xbe\xc2\x81\r");
    }
    TEST_CASE("a zero byte in an attribute becomes U+FFFD") {
        CHECK(decoded(std::string_view("x\0y", 3)) == "x\xef\xbf\xbdy");
        CHECK(decoded(std::string_view("\0&lt;&am\0p;", 11))
              == "\xef\xbf\xbd<&am\xef\xbf\xbdp;");
        CHECK(links_of(std::string_view("<a href='x\0y'>", 14))
              == "http://h/d/x%EF%BF%BDy");
        CHECK(links_of(std::string_view("<a href=x\0>", 11), "text/html; charset=latin1")
              == "http://h/d/x%EF%BF%BD");
    }
}

TEST_SUITE("meta refresh") {
    TEST_CASE("the content of a refresh is parsed as the HTML Standard says") {
        using common::refresh_target;
        CHECK(refresh_target("5; url=x") == "x");
        CHECK(refresh_target("5;x") == "x");
        CHECK(refresh_target(" 5 , URL = 'x y' z") == "x y");
        CHECK(refresh_target("5 x") == "x");
        CHECK(refresh_target("0.5;url=\"x") == "x");
        CHECK(refresh_target(".;x") == "x");
        CHECK(refresh_target("5;urlx") == "urlx");
        CHECK(refresh_target("5;abc=x") == "abc=x");
        CHECK(refresh_target("5;url =x") == "x");
        CHECK(refresh_target("5").empty());
        CHECK(refresh_target("5;").empty());
        CHECK(refresh_target("x;url=y").empty());
        CHECK(refresh_target("5x;url=y").empty());
        CHECK(refresh_target("").empty());
    }
}

TEST_CASE("XML is read by its own rules") {
    CHECK(
        links_of("<html xmlns='http://www.w3.org/1999/xhtml'><title><a href='t'/></title>"
                 "<a href='x&amp;y'/><A href='no'/></html>",
                 xhtml)
        == "http://h/d/t http://h/d/x&y");
    CHECK(links_of("<x:a xmlns:x='urn:x' href='y'/>", xhtml) == "http://h/d/y");
    CHECK(links_of("<a xmlns:l='urn:l' l:href='y'/>", xhtml).empty());
    CHECK(links_of("<r><a href='x'/><b></r><a href='y'/>", xhtml) == "http://h/d/x");
    // An entity's replacement is never read, however innocent it looks.
    CHECK(links_of("<!DOCTYPE r [<!ENTITY e '<a href=\"x\"/>'>]><r>&e;<a href='y'/></r>",
                   xhtml)
              .find('x')
          == std::string::npos);
}

TEST_CASE("XML is read up to what would take its parser hours") {
    const auto many = [](int count, std::string_view format) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += fmt::format(fmt::runtime(format), i);
        return text;
    };
    const std::string page = "<r><a href='x'/></r>";
    const std::string_view declaration = "<!ATTLIST a a{} CDATA ''>";
    CHECK(links_of("<!DOCTYPE r [" + many(50, declaration) + "]>" + page, xhtml)
          == "http://h/d/x");
    CHECK(
        links_of("<!DOCTYPE r [" + many(3000, declaration) + "]>" + page, xhtml).empty());
    CHECK(
        links_of("<r><a href='x'/><b " + many(30'000, "a{}='' ") + "/><a href='y'/></r>",
                 xhtml)
        == "http://h/d/x");
    const std::string picture = "<img src='data:," + std::string(500'000, 'x') + "'/>";
    const std::string comment = "<!--" + many(30'000, "a{}='' ") + "-->";
    CHECK(links_of("<r>" + picture + comment + "<a href='y'/></r>", xhtml)
          == "http://h/d/y");
}

TEST_CASE("XML gives the same links with every version of libxml2") {
    // 2.9 stops at a reference to external declarations; 2.15 doesn't.
    CHECK(links_of(
              "<!DOCTYPE r [<!ENTITY % p SYSTEM 'http://h/p'>%p;]><r><a href='x'/></r>",
              "text/xml")
              .empty());
    // Their limits: 10 MB for an attribute's value, or for a comment.
    const std::string large(11'000'000, 'x'); // NOLINT(bugprone-string-constructor)
    CHECK(links_of("<r><b c='" + large + "'/><!--" + large + "--><a href='x'/></r>",
                   "text/xml")
          == "http://h/d/x");
}

TEST_SUITE("hostile pages") {
    TEST_CASE("URLs beyond the limit are left out and counted, each once") {
        std::string page;
        for (int i = 0; i < 20; ++i)
            page += "<a href=" + std::to_string(i) + "><a href=0>";
        page += "<a href=7><a href=19#x><a href='#here'><a href='0#x'>";
        const auto found = found_in(page, {.links = 5});
        CHECK(found.urls.size() == 5);
        CHECK(found.left_out == 16); // 5 to 19, and the page itself
    }
    TEST_CASE("places have a limit of their own, and take no room from URLs") {
        common::LinkLimits limits{.links = 5, .fragments = 20};
        limits.ids = true;
        const auto look_at = [&](int places) {
            std::string page;
            for (int round = 0; round < 2; ++round)
                for (int i = 0; i < places; ++i)
                    page += "<a href='q#" + std::to_string(i) + "'>";
            return found_in(page + "<a href=1><a href=2><a href=3>", limits);
        };
        const auto fits = look_at(20);
        CHECK(fits.fragments.places.size() == 20);
        CHECK(fits.places_left_out == 0);
        CHECK(fits.urls.size() == 4);
        CHECK(fits.left_out == 0);
        const auto exceeds = look_at(25);
        CHECK(exceeds.fragments.places.size() == 20);
        CHECK(exceeds.places_left_out == 5);
        CHECK(exceeds.left_out == 0);
    }
    TEST_CASE("a page with too many ids is noticed") {
        common::LinkLimits limits{.ids_of_page = 3};
        limits.ids = true;
        const auto has_more = [&](const char* page) {
            return found_in(page, limits).has_more_ids;
        };
        CHECK_FALSE(has_more("<p id=a><p id=b><p id=c><a id=c name=b>"));
        CHECK(has_more("<p id=a><p id=b><p id=c><p id=d>"));
    }
    TEST_CASE("URLs that are too long or unreadable are counted") {
        const auto found =
            found_in("<a href=" + std::string(100'000, 'x') + "><a href='"
                     + std::string(5'000, '"') + "'><a href='mailto:x'><a href=ok>");
        CHECK(found.urls.size() == 1);
        CHECK(found.too_long == 2);
        CHECK(found.unreadable == 1);
    }
    TEST_CASE("links that aren't URLs are found where URLs are, if they are wanted") {
        const auto malformed_in = [](std::string_view body, common::LinkLimits limits,
                                     std::string_view type = html) {
            limits.malformed = true;
            limits.wanted = [](const common::Url& url) {
                CHECK_FALSE(url.is_malformed());
                return true;
            };
            std::string result;
            for (const auto& [url, role, is_wanted] :
                 found_in(body, limits, type).others) {
                CHECK_FALSE(is_wanted);
                result.append(name_of(role)).append(" ").append(url.href()).append(", ");
            }
            return result;
        };
        const std::string page =
            "<a href='http://a b/#c'><a href='http://a b/'><area href='//'>"
            "<iframe src='http://c:x/'></iframe><a href='ok'>"
            "<meta http-equiv=refresh content='0;url=http://d e/'><a href='mailto:x'>";
        const std::string found = "a http://a b/, a //, frame http://c:x/, "
                                  "refresh http://d e/, ";
        CHECK(malformed_in(page, {}) == found);
        CHECK(malformed_in(page, {.ids = true}) == found);
        CHECK(found_in(page).others.empty());
        CHECK(found_in(page).unreadable == 6);
        const auto refresh = found_in(page, {.malformed = true});
        CHECK_FALSE(refresh.refreshes_to);
        CHECK(refresh.unreadable == 1);
        CHECK(malformed_in("<img src='http:// i/'><img srcset='http://[/ 2x'>"
                           "<link rel=stylesheet href='http://l%/'>"
                           "<script src='http://s^/'></script>"
                           "<form action='http://f|/'></form>"
                           "<p style='background:url(http://<u>/)'>"
                           "<svg><use href='http://:1/#x'/></svg>",
                           {.assets = true})
              == "img http:// i/, img http://[/, stylesheet http://l%/, "
                 "script http://s^/, form http://f|/, css http://<u>/, use http://:1/, ");
        CHECK(malformed_in("<a xmlns='http://www.w3.org/1999/xhtml' href='http://x y'/>",
                           {}, xhtml)
              == "a http://x y, ");
        CHECK(found_in(page, {.links = 2, .malformed = true}).left_out == 3);
    }
    TEST_CASE("only wanted links count towards the limit") {
        common::LinkLimits limits{.links = 2};
        limits.wanted = [](const common::Url& url) { return url.host() == "h"; };
        const auto found =
            found_in("<a href=http://g/1><a href=http://g/2><a href=http://g/3>"
                     "<a href=1><a href=2><a href=1><a href=3><a href=http://g/4>",
                     limits);
        CHECK(found.urls.size() == 2);
        CHECK(found.urls.at(0).href() == "http://h/d/1");
        CHECK(found.left_out == 1);
    }
    TEST_CASE("a page can't fill the memory with a long base and many short links") {
        std::string page = "<base href='/" + std::string(1000, 'b') + "/'>";
        for (int i = 0; i < 20; ++i)
            page += "<a href=" + std::to_string(i) + ">";
        const auto found = found_in(page, {.bytes = 5'100});
        CHECK(found.urls.size() == 5);
        CHECK(found.left_out == 15);
    }
    // Each of these kept libxml2 busy for seconds or made it lose a link. The benchmark
    // checks that they take no time here; this test checks that the link is found.
    TEST_CASE("very long or deeply nested markup hides no link") {
        const std::string link = "<a href=x>";
        for (const std::string& page :
             {"<p " + repeated("a=1 ", 100'000) + ">" + link,
              "<a " + repeated("b=1 ", 100'000) + "href=x>",
              repeated("<b>", 100'000) + repeated("</i>", 100'000) + link,
              repeated("<svg>", 100'000) + link, repeated("<svg><desc>", 100'000) + link,
              repeated("<template>", 100'000) + repeated("</template>", 100'000) + link,
              repeated("<svg>", 100'000) + repeated("</template>", 100'000) + link,
              "<script>" + std::string(2'000'000, '<') + "</script>" + link,
              "<!--" + std::string(2'000'000, '-') + ">" + link,
              "<p title='" + std::string(2'000'000, 'x') + "'>" + link,
              "<a href='" + repeated("&", 100'000) + "'>" + link}) {
            CAPTURE(page.substr(0, 20));
            CHECK(links_of(page) == "http://h/d/x");
        }
    }
    TEST_CASE("zero bytes and UTF-16 hide no link") {
        CHECK(links_of(std::string_view("<a \0 href=x>", 12)) == "http://h/d/x");
        std::string wide;
        for (const char c : std::string("<a href=x>")) {
            wide += c;
            wide += '\0';
        }
        CHECK(links_of(wide, "text/html; charset=utf-16le") == "http://h/d/x");
        CHECK(links_of("\xff\xfe" + wide, "text/html") == "http://h/d/x");
    }
}

TEST_CASE("the status of a response decides where it leads") {
    const common::Url url = common::parse_url("http://h/d/f").value();
    const auto leads_to = [&](int status, const std::string& location) {
        const common::HttpResponse response{
            .status = status,
            .headers = {{"Content-Type", "text/html"}, {"Location", location}},
            .body = "<a href=x>",
            .error = {}};
        std::vector<std::string> urls;
        for (const common::Url& one : common::links_of(response, url))
            urls.emplace_back(one.href());
        return urls;
    };
    using Urls = std::vector<std::string>;
    CHECK(leads_to(200, "/elsewhere") == Urls{"http://h/d/x"});
    CHECK(leads_to(301, "/elsewhere") == Urls{"http://h/elsewhere"});
    CHECK(leads_to(308, "y") == Urls{"http://h/d/y"});
    CHECK(leads_to(302, "mailto:me").empty());
    CHECK(leads_to(404, "/elsewhere").empty());
    CHECK(leads_to(304, "/elsewhere").empty());
    CHECK(leads_to(0, "").empty());
}

TEST_CASE("assets are found in every element that has one") {
    CHECK(assets_of("<img src=1 srcset='2 2x,3 3x'>") == "img /d/1 img /d/2 img /d/3 ");
    CHECK(assets_of("<picture><source srcset=4></picture><video src=5 poster=6>"
                    "<source src=7><track src=8></video><audio src=9>")
          == "img /d/4 img /d/6 media /d/5 media /d/7 media /d/8 media /d/9 ");
    CHECK(assets_of("<script src=1></script><object data=2></object><embed src=3>"
                    "<input type=image src=4>")
          == "script /d/1 object /d/2 object /d/3 img /d/4 ");
    CHECK(assets_of("<form action=1><form method=GET action=2><form method=post action=3>"
                    "<form method=get><form action=''>")
          == "form /d/1 form /d/2 ");
    CHECK(assets_of("<STYLE>@import '1';a{b:url(2)}</STYLE><p STYLE='c:url(3)'>")
          == "stylesheet /d/1 css /d/2 css /d/3 ");
    CHECK(assets_of("<style>/*<img src=x>*/</style>") == "");
}

TEST_CASE("of link elements, those count that name something to fetch") {
    CHECK(assets_of("<link rel=StyleSheet href=1><link rel='shortcut icon' href=2>"
                    "<link rel='alternate stylesheet' href=3><link rel=preload href=4 "
                    "imagesrcset='5 1x'><link rel=canonical href=6>")
          == "stylesheet /d/1 link /d/2 stylesheet /d/3 link /d/4 img /d/5 link /d/6 ");
    CHECK(assets_of("<link rel=preconnect href=1><link rel=dns-prefetch href=2>"
                    "<link rel=pingback href=3><link href=4>")
          == "");
}

TEST_CASE("an asset is found once, and a link is never only an asset") {
    CHECK(assets_of("<img src=a><img src=a><link rel=icon href=a>") == "img /d/a ");
    CHECK(assets_of("<a href=a><img src=a>") == "");
    const std::string_view both = "<img src=a><a href=a>";
    CHECK(assets_of(both) == "img /d/a ");
    CHECK(links_of(both) == "http://h/d/a");
}

TEST_CASE("assets are found in style sheets and in XHTML, and only on demand") {
    CHECK(assets_of("@import '1';a{b:url(2)}", "text/css; charset=utf-8")
          == "stylesheet /d/1 css /d/2 ");
    CHECK(links_of("@import '1'", "text/css").empty());
    CHECK(assets_of("<x xmlns='http://www.w3.org/1999/xhtml'><img src='1'/>"
                    "<IMG src='2'/><p style='a:url(3)'/></x>",
                    xhtml)
          == "img /d/1 css /d/3 ");
}

TEST_CASE("links out of scope are found if they're asked for") {
    common::LinkLimits limits;
    limits.wanted = [](const common::Url& url) { return url.host() == "h"; };
    limits.foreign = [](const common::Url& url) { return url.host() != "excluded"; };
    const auto found = found_in("<a href=1><a href=//other/><a href=//other/#x>"
                                "<img src=//other/2><a href=//excluded/>",
                                limits);
    REQUIRE(found.urls.size() == 1);
    REQUIRE(found.others.size() == 1); // images only with `assets`
    CHECK(found.others[0].url.href() == "http://other/");
    CHECK_FALSE(found.others[0].is_wanted);
    CHECK(found.others[0].role == common::LinkRole::hyperlink);
}

TEST_CASE("a URL with two names is found by the one that is meant") {
    common::LinkLimits limits;
    limits.ids = true;
    limits.places = 10;
    limits.rename = [](common::Url& url) {
        if (url.host() == "test")
            url = *common::parse_url("http://h" + std::string(url.target()));
    };
    limits.wanted = [](const common::Url& url) { return url.host() == "h"; };
    const auto found = found_in("<a href=//h/a#x><a href=//test/a#x><a href=//test/b>"
                                "<a href=//other/c>",
                                limits);
    REQUIRE(found.urls.size() == 2);
    CHECK(found.urls[0].href() == "http://h/a");
    CHECK(found.urls[1].href() == "http://h/b");
    CHECK(found.fragments.pages.size() == 1);
}

TEST_CASE("a refresh that leads away is remembered, though it's no link") {
    common::LinkLimits limits;
    limits.wanted = [](const common::Url& url) { return url.host() == "h"; };
    const auto refresh_of = [&](const char* to) {
        const auto found = found_in(
            fmt::format("<meta http-equiv=refresh content='0; url={}'><a href=//x/>", to),
            limits);
        return found.refreshes_to ? std::string(found.refreshes_to->href()) : "";
    };
    CHECK(refresh_of("http://other/a") == "http://other/a");
    CHECK(refresh_of("/a").empty());
}

TEST_CASE("fragments that occur often take no room from others") {
    std::string page;
    for (int i = 0; i < 12; ++i)
        page += "<a href='#" + std::to_string(i) + "'>";
    page += repeated("<a href='#a'><a href='q#b'>", 30) + "<a href='#c'><a href='q#d'>";
    common::LinkLimits limits{.fragments = 16};
    limits.ids = true;
    const auto found = found_in(page, limits);
    std::string all;
    for (const auto& place : found.fragments.places)
        all += found.fragments.fragment(place).text;
    std::ranges::sort(all);
    CHECK(all == "00111123456789abcd"); // each once
    CHECK(found.places_left_out == 0);
    CHECK(fragments_of("<a href='#" + std::string(2000, 'x') + "'>").empty());
}

TEST_CASE(
    "a fragment is looked for among all ids of its page, and names of its anchors") {
    CHECK(fragments_of("<a href='#x'><a href='#y'><a href='#z'><p id=x><a name=y>")
          == "/d/p.html#z ");
    CHECK(fragments_of("<a href='p.html#x'><a href='q.html#x'><p id=x>")
          == "/d/q.html#x ");
    CHECK(fragments_of("<a href='#a&amp;b'><p ID='a&amp;b'><a href='#img'><img name=img>")
          == "/d/p.html#img ");
    CHECK(fragments_of("<!-- <p id=x> --><script>'<p id=x>'</script><a href='#x'>")
          == "/d/p.html#x ");
    CHECK(fragments_of("<base href=/e/><a href='#x'><p id=x>") == "/e/#x ");
    CHECK(fragments_of("<area href='#x'><area href='#x'><iframe src='#y'>")
          == "/d/p.html#x /d/p.html#x ");
    CHECK(fragments_of("<x><a href='#x'/><y id='x'/><a href='#y'/></x>", xhtml)
          == "/d/p.html#y ");
}
