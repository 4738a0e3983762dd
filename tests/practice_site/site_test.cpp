#include "tests/practice_site/site.h"
#include "tests/support/prelude.h"

using namespace practice_site;

namespace {

constexpr std::string_view origin = "http://127.0.0.1:8080";

Answer ask(const Site& site, std::string_view path) {
    return site.answer({path, origin});
}

std::vector<std::string> hrefs(const std::string& html) {
    constexpr std::string_view mark = "href=\"";
    std::vector<std::string> found;
    for (auto at = html.find(mark); at != std::string::npos; at = html.find(mark, at)) {
        at += mark.size();
        found.push_back(html.substr(at, html.find('"', at) - at));
    }
    return found;
}

/// The path that a link on the page at `base` leads to; empty if to no other page here.
/// As simple as this site permits, and independent of the code that makes its links.
std::string resolve(const std::string& base, std::string href) {
    href = href.substr(0, href.find('#'));
    if (href.empty() || href.starts_with("mailto:"))
        return {};
    if (href.starts_with("http://")) {
        REQUIRE(href.starts_with(origin));
        return href.substr(origin.size());
    }
    if (href.starts_with("/"))
        return href;
    std::string folder = base.substr(0, base.rfind('/') + 1);
    if (href.starts_with("./"))
        href = href.substr(2);
    if (href.starts_with("../")) {
        href = href.substr(3);
        folder = folder.substr(0, folder.rfind('/', folder.size() - 2) + 1);
    }
    REQUIRE(!href.starts_with("."));
    return folder + href;
}

/// What a crawler meets, found only by asking the site.
Manifest walk(const Site& site) {
    Manifest met;
    std::map<std::string, std::size_t> depths{{"/", 0}};
    std::vector<std::string> queue{"/"};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::string path = queue[i];
        const Answer answer = ask(site, path);
        const std::string url = std::string(origin) + path;
        std::vector<std::string> targets;
        met.depth = std::max(met.depth, depths[path]);
        if (answer.status == 200) {
            met.pages.insert(url);
            targets = hrefs(answer.body);
        } else if (answer.status == 404) {
            met.dead.insert(url);
        } else {
            CHECK(answer.status > 300);
            CHECK(answer.status < 309);
            targets = {answer.location};
            met.redirects[url] = std::string(origin) + resolve(path, answer.location);
        }
        for (const std::string& href : targets)
            if (const std::string target = resolve(path, href);
                !target.empty() && depths.emplace(target, depths[path] + 1).second)
                queue.push_back(target);
    }
    return met;
}

} // namespace

TEST_CASE("site: the manifest lists exactly what a crawl finds") {
    const std::vector<SiteOptions> sites{
        {},
        {.pages = 1},
        {.pages = 2, .links = 1},
        {.pages = 300, .links = 1},
        {.pages = 300, .links = 2},
        {.pages = 300, .links = 3},
        {.pages = 1000, .links = 30, .size = 0, .seed = 7},
        {.pages = 2000, .links = 5, .seed = 2'000'000'000},
        {.pages = 3, .links = 200},
    };
    for (const SiteOptions& options : sites) {
        CAPTURE(options.pages);
        CAPTURE(options.links);
        const Site site(options);
        const Manifest manifest = site.manifest(origin);
        const Manifest met = walk(site);
        CHECK(manifest.pages.size() == options.pages);
        CHECK(manifest.pages == met.pages);
        CHECK(manifest.dead == met.dead);
        CHECK(manifest.redirects == met.redirects);
        CHECK(manifest.depth == met.depth);
    }
}

TEST_CASE("site: the same options give the same bytes") {
    const SiteOptions options{.pages = 50, .links = 10, .size = 5000, .seed = 3};
    const Site one(options);
    const Site two(options);
    SiteOptions other_options = options;
    other_options.seed = 4;
    const Site other(other_options);
    int differ = 0;
    for (int page = 1; page < 50; ++page) {
        const std::string path = fmt::format("/p/{}", page);
        CHECK(ask(one, path).body == ask(two, path).body);
        CHECK(ask(one, path).body == ask(one, path).body);
        differ += ask(one, path).body != ask(other, path).body ? 1 : 0;
    }
    CHECK(differ == 49);
}

TEST_CASE("site: a page has the same text with every compiler and library") {
    CHECK(ask(Site({.pages = 9, .links = 2, .size = 400}), "/p/4").body
          == R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Page 4: coral granite</title>
</head>
<body>
<h1>Page 4: coral granite</h1>
<p>One of 9 pages for crawlers to practise on.</p>
<ul>
<li><a href="6">Page 6</a></li>
<li><a href="http://127.0.0.1:8080/p/1">Page 1</a></li>
</ul>
<p id="words">coral velvet raven raven meadow candle anchor meadow coral pebble her</p>
</body>
</html>
)");
}

TEST_CASE("site: pages have the requested size") {
    const Site site({.pages = 40, .size = 4096});
    for (int page = 1; page < 40; ++page)
        CHECK(ask(site, fmt::format("/p/{}", page)).body.size() == 4096);

    const std::size_t least = ask(Site({.size = 0}), "/").body.size();
    CHECK(ask(Site({.size = least - 1}), "/").body.size() == least);
    for (std::size_t size = least; size < least + 1000; ++size) {
        const std::string body = ask(Site({.size = size}), "/").body;
        REQUIRE(body.size() == size);
        REQUIRE(body.ends_with("</p>\n</body>\n</html>\n"));
        REQUIRE(std::ranges::count(body, '<') == std::ranges::count(body, '>'));
    }
    CHECK(ask(Site({.size = 1'000'000}), "/").body.size() == 1'000'000);
}

TEST_CASE("site: pages have the requested number of links, of every kind") {
    const Site site({.pages = 200, .links = 12});
    std::map<std::string, int> kinds;
    for (int page = 0; page < 200; ++page) {
        const std::string path = page == 0 ? "/" : fmt::format("/p/{}", page);
        const auto links = hrefs(ask(site, path).body);
        CHECK(links.size() == 12);
        std::set<std::string> seen;
        for (const std::string& href : links) {
            kinds["said twice"] += seen.insert(href).second ? 0 : 1;
            kinds["mailto"] += href.starts_with("mailto:") ? 1 : 0;
            kinds["bare fragment"] += href.starts_with("#") ? 1 : 0;
            kinds["fragment"] += href.find('#', 1) != std::string::npos ? 1 : 0;
            kinds["absolute"] += href.starts_with("http://") ? 1 : 0;
            kinds["climbing"] += href.starts_with("../") ? 1 : 0;
            kinds["sibling"] += href.front() >= '1' && href.front() <= '9' ? 1 : 0;
        }
    }
    CHECK(kinds.size() == 7);
    for (const auto& [kind, count] : kinds) {
        CAPTURE(kind);
        CHECK(count > 10);
    }
    const Manifest manifest = site.manifest(origin);
    CHECK(manifest.dead.size() == 6);
    CHECK(manifest.redirects.size() >= 10);
    int chains = 0;
    for (const auto& [url, target] : manifest.redirects)
        chains += manifest.redirects.contains(target) ? 1 : 0;
    CHECK(chains == 2);
}

TEST_CASE("site: a page has only one URL") {
    const Site site({.pages = 30});
    CHECK(ask(site, "/p/29").status == 200);
    for (const std::string_view path :
         {"/p/30", "/p/0", "/p/007", "/p/", "/p/7x", "/p/+7", "/p/-1", "/p/7?", "/p/7/",
          "/p/99999999999999999999", "/old/8", "/older/27", "/old/107", "", "/P/7"}) {
        CAPTURE(path);
        CHECK(ask(site, path).status == 404);
    }
    CHECK(ask(site, "/older/7").location == "/old/7");
    CHECK(ask(site, "/old/7").location == std::string(origin) + "/p/7");
}

TEST_CASE("site: options that allow no site are refused") {
    CHECK_THROWS_AS(Site({.pages = 0}), std::invalid_argument);
    CHECK_THROWS_AS(Site({.links = 0}), std::invalid_argument);
}

TEST_CASE("site: the manifest's text has a sorted line for each URL") {
    Manifest manifest;
    manifest.pages = {"http://h/", "http://h/p/1", "http://h/p/10", "http://h/p/2"};
    manifest.redirects = {{"http://h/old/7", "http://h/p/7"}};
    manifest.dead = {"http://h/missing/0"};
    CHECK(to_text(manifest)
          == "dead\thttp://h/missing/0\n"
             "page\thttp://h/\n"
             "page\thttp://h/p/1\n"
             "page\thttp://h/p/10\n"
             "page\thttp://h/p/2\n"
             "redirect\thttp://h/old/7\thttp://h/p/7\n"
             "end\n");
}
