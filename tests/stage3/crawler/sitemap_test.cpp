// Which URLs a sitemap lists, however it's written, and however hostile it is.
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "tests/support/pack.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;

namespace {

Sitemap read_map(std::string_view body, const SitemapLimits& limits = {}) {
    return read_sitemap(body, tests::url_of("http://h/maps/a.xml"), limits);
}

std::vector<std::string> urls_in(const Sitemap& sitemap) {
    std::vector<std::string> urls;
    for (const common::Url& url : sitemap.urls)
        urls.emplace_back(url.href());
    return urls;
}

std::vector<std::string> urls_in(std::string_view body) {
    return urls_in(read_map(body));
}

using Urls = std::vector<std::string>;

constexpr std::string_view usual =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n"
    "<url><loc> http://h/a?x=1&amp;y=2 </loc><lastmod>2020-01-01</lastmod></url>\n"
    "<url><loc>http://h/b#part</loc></url></urlset>\n";
const Urls usual_urls{"http://h/a?x=1&y=2", "http://h/b"};

std::string urlset(std::string_view inside) {
    return fmt::format("<urlset>{}</urlset>", inside);
}

std::string loc(std::string_view url) {
    return fmt::format("<url><loc>{}</loc></url>", url);
}

} // namespace

TEST_CASE("a sitemap lists URLs, without spaces, entities and fragments") {
    const Sitemap sitemap = read_map(usual);
    CHECK(urls_in(sitemap) == usual_urls);
    CHECK_FALSE(sitemap.is_index);
    CHECK(sitemap.error.empty());
    CHECK(sitemap.unreadable + sitemap.left_out == 0);
    for (const auto& [text, url] : {std::pair("<![CDATA[/x?a&b]]>", "http://h/x?a&b"),
                                    {"/&#120;<!-- y -->z", "http://h/xz"},
                                    {"b.html", "http://h/maps/b.html"}})
        CHECK(urls_in(urlset(loc(text))) == Urls{url});
}

TEST_CASE("an index of sitemaps lists sitemaps") {
    const Sitemap sitemap = read_map(
        "<sitemapindex><sitemap><loc>/1.xml.gz</loc></sitemap><url><loc>/no</loc></url>"
        "</sitemapindex>");
    CHECK(sitemap.is_index);
    CHECK(urls_in(sitemap) == Urls{"http://h/1.xml.gz"});
}

TEST_CASE("namespaces make no difference, and a picture's URL is no page's") {
    const Sitemap sitemap =
        read_map("<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9' "
                 "xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'><s:url>"
                 "<image:image><image:loc>/picture</image:loc></image:image>"
                 "<s:loc>/page</s:loc></s:url><s:loc>/outside</s:loc></s:urlset>");
    CHECK(urls_in(sitemap) == Urls{"http://h/page"});
    CHECK(sitemap.unreadable == 0);
}

TEST_CASE("a byte order mark, an empty line or another encoding does no harm") {
    CHECK(urls_in("\xef\xbb\xbf" + std::string(usual)) == usual_urls);
    CHECK(urls_in("\r\n " + std::string(usual)) == usual_urls);
    std::string utf16 = "\xff\xfe";
    for (const char c : urlset(loc("/a")))
        utf16 += {c, '\0'};
    CHECK(urls_in(utf16) == Urls{"http://h/a"});
    CHECK(urls_in("<?xml version='1.0' encoding='ISO-8859-1'?>" + urlset(loc("/\xfc")))
          == Urls{"http://h/%C3%BC"});
}

TEST_CASE("text lists one URL per line") {
    const Sitemap sitemap =
        read_map("\xef\xbb\xbfhttp://h/a\r\n\r\n  http://h/b  \nnot one\nhttp://h/c");
    CHECK(urls_in(sitemap) == Urls{"http://h/a", "http://h/b", "http://h/c"});
    CHECK(sitemap.unreadable == 1);
    CHECK(sitemap.error.empty());
}

TEST_CASE("what is no sitemap says so") {
    for (const auto& [text, error] :
         {std::pair("<html><body/></html>", "not a sitemap, but XML for <html>"),
          {"<h\xc3\xbc/>", "not a sitemap, but XML for <h?\?>"},
          {"Not found", "not a sitemap: neither XML nor a list of URLs"},
          {"", "empty"},
          {" \n", "empty"},
          {"<urlset></urlset>", ""}})
        CHECK(read_map(text).error == error);
}

TEST_CASE("entries that are no URLs are counted") {
    const Sitemap sitemap = read_map(urlset(loc("") + loc("mailto:a@b")
                                            + loc("http://h/" + std::string(100'000, 'x'))
                                            + "<url></url>" + loc("/a")));
    CHECK(urls_in(sitemap) == Urls{"http://h/a"});
    CHECK(sitemap.unreadable == 3);
    CHECK(urls_in("<!DOCTYPE urlset>" + urlset(loc("/a"))) == Urls{"http://h/a"});
    const Sitemap unknown =
        read_map("<!DOCTYPE urlset SYSTEM 'none.dtd'>" + urlset(loc("/a&b;")));
    CHECK(unknown.urls.empty());
    CHECK(unknown.unreadable == 1);
}

TEST_CASE("broken XML is read to its first error") {
    const Sitemap sitemap =
        read_map("<urlset><url><loc>/a</loc></url>\n<url><loc>/b</url>");
    CHECK(urls_in(sitemap) == Urls{"http://h/a"});
    CHECK(sitemap.error.starts_with("broken XML in line 2: "));
    CHECK_FALSE(read_map("<urlset><url><loc>/a</loc></url>").error.empty());
    CHECK_FALSE(read_map(urlset(loc("/a\xff"))).error.empty());
}

TEST_CASE("a sitemap's own entities aren't unfolded, and no other file is read") {
    std::string bomb = "<!DOCTYPE urlset [<!ENTITY a0 'x'>";
    for (int i = 1; i <= 30; ++i)
        bomb += fmt::format("<!ENTITY a{} '&a{};&a{};'>", i, i - 1, i - 1);
    const Sitemap sitemap = read_map(bomb + "]>" + urlset(loc("/1") + loc("/&a30;")));
    CHECK(urls_in(sitemap).empty());
    CHECK(sitemap.error == "not read, since it declares its own kind of XML");
    CHECK(urls_in("<!DOCTYPE urlset [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>"
                  + urlset(loc("/&e;")))
              .empty());
    CHECK(urls_in("<!DOCTYPE urlset [<!ENTITY % e SYSTEM 'file:///etc/hostname'>%e;]>"
                  + urlset(""))
              .empty());
}

// Each of these has taken minutes, or hundreds of megabytes.
TEST_CASE("a sitemap that makes work for the parser isn't read to its end") {
    const auto error_of = [](const std::string& inside) {
        return read_map("<urlset>" + inside).error;
    };
    std::string attributes;
    std::string names;
    std::string declared;
    std::string namespaces;
    for (int i = 0; i < 120'000; ++i) {
        attributes += fmt::format(" a{}=''", i);
        names += fmt::format("<a{}/>", i);
        namespaces += fmt::format("<a xmlns:n{}='x'>", i);
    }
    for (int i = 0; i < 200; ++i)
        declared += fmt::format(" a{} CDATA ''", i);
    std::string elements;
    std::string deep;
    for (int i = 0; i < 20'000; ++i) {
        elements += "<x/>";
        deep += "<a>";
    }
    CHECK(error_of("<x" + attributes + "/>") == "not a sitemap: a tag is too long");
    CHECK(read_map("<!DOCTYPE urlset [<!ATTLIST x" + declared + ">]>" + urlset(elements))
              .error
          == "not read, since it declares its own kind of XML");
    for (const std::string& nested : {deep, namespaces.substr(0, 100'000)})
        CHECK(error_of(nested)
              == "not a sitemap: too many elements or namespaces in one another");
    CHECK(error_of(names) == "not a sitemap: its elements have too many names");
    const std::string comment = "<!--" + attributes.substr(0, 100'000) + "-->";
    CHECK(urls_in(comment + urlset(comment + loc("/a"))) == Urls{"http://h/a"});
}

TEST_CASE("a packed sitemap is unpacked, as far as it goes") {
    CHECK(urls_in(tests::pack(usual)) == usual_urls);
    const std::string whole = tests::pack(usual);
    const Sitemap cut = read_map(whole.substr(0, whole.size() / 2));
    CHECK(cut.error == "its compressed data is cut off");
    CHECK(read_map("\x1f\x8bnonsense").error == "its compressed data is broken");
    const Sitemap bomb =
        read_map(tests::pack(std::string(1'000'000, ' ')), {.bytes = 1000});
    CHECK(bomb.is_cut_off);
    CHECK(bomb.urls.empty());
}

TEST_CASE("what is beyond the limits is left out") {
    std::string list;
    for (int i = 0; i < 5; ++i)
        list += loc(fmt::format("/{}", i));
    const Sitemap first = read_map(urlset(list), {.urls = 3});
    CHECK(urls_in(first) == Urls{"http://h/0", "http://h/1", "http://h/2"});
    CHECK(first.left_out == 2);
    for (const std::string& form : {urlset(list), tests::pack(urlset(list))}) {
        const Sitemap cut = read_map(form, {.bytes = 70});
        CHECK(cut.is_cut_off);
        CHECK(cut.error.empty());
        CHECK(urls_in(cut) == Urls{"http://h/0", "http://h/1"});
    }
    const std::string text = "http://h/a\nhttp://h/b\n";
    CHECK(urls_in(read_map(text, {.bytes = text.size() - 2})) == Urls{"http://h/a"});
    CHECK_FALSE(read_map(text, {.bytes = text.size()}).is_cut_off);
}
