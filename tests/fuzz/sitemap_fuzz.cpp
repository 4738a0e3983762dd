// What must hold for every sitemap. The input is one.
#include "stage3_queue_crawler/crawler/sitemap.h"
#include "tests/fuzz/fuzz.h"

#include <string>

void tests::fuzz(std::string_view input) {
    const common::Url base = *common::parse_url("http://h/a/sitemap.xml");
    const stage3::SitemapLimits limits{.urls = 10, .bytes = 10'000};
    const stage3::Sitemap sitemap = stage3::read_sitemap(input, base, limits);
    require(sitemap.urls.size() <= limits.urls, "no more URLs than the limit");
    require(sitemap.left_out == 0 || sitemap.urls.size() == limits.urls,
            "what is left out is beyond the limit");
    // Each takes a few bytes of the text at least.
    require(sitemap.left_out + sitemap.unreadable <= limits.bytes, "entries have bytes");
    if (sitemap.urls.empty())
        return;
    std::string list;
    for (const common::Url& url : sitemap.urls)
        list += std::string(url.href()) + '\n';
    const stage3::Sitemap again = stage3::read_sitemap(list, base);
    require(again.urls == sitemap.urls && again.error.empty(),
            "its URLs are a sitemap, too");
}
