// What must hold for every page's links. The input is a page; its first byte chooses how
// it is read.
#include "common/web/html_scanner.h"
#include "common/web/links.h"
#include "tests/fuzz/fuzz.h"

#include <array>
#include <cstddef>
#include <set>
#include <string>

namespace {

bool is_same(std::string_view a, std::string_view b) {
    return a.data() == b.data() && a.size() == b.size(); // even in the same place
}

/// The scanner has a short way over plain tags, which must lead where the long one does.
void require_short_way_is_right(std::string_view page, common::LookFor look_for) {
    common::HtmlScanner quick(page, look_for);
    look_for.slowly = true;
    common::HtmlScanner slow(page, look_for);
    common::LinkTag tag;
    common::LinkTag expected;
    while (slow.next(expected)) {
        tests::require(quick.next(tag), "the short way misses no tag");
        tests::require(
            tag.element == expected.element && is_same(quick.rest(), slow.rest())
                && is_same(tag.href, expected.href) && is_same(tag.src, expected.src)
                && is_same(tag.id, expected.id) && is_same(tag.style, expected.style)
                && is_same(tag.background, expected.background)
                && is_same(tag.text, expected.text),
            "the short way leads to the same tags");
    }
    tests::require(!quick.next(tag), "the short way finds no more tags");
}

} // namespace

void tests::fuzz(std::string_view input) {
    static const common::Url base = *common::parse_url("http://h/d/p.html?q");
    constexpr std::array types{"text/html",
                               "text/html; charset=utf-16le",
                               "",
                               "application/xhtml+xml",
                               "image/svg+xml",
                               "application/rss+xml",
                               "application/atom+xml",
                               "text/html; charset=windows-1251"};
    const auto choice = input.empty()
                            ? std::size_t{0}
                            : static_cast<unsigned char>(input[0]) % types.size();
    const std::string_view page = input.substr(input.empty() ? 0 : 1);
    common::LinkLimits limits{.links = 100};
    const auto plain = common::find_links(page, types.at(choice), base, limits);
    limits.assets = limits.ids = limits.malformed = true;
    limits.foreign = [](const common::Url&) { return true; };
    const auto found = common::find_links(page, types.at(choice), base, limits);
    require(!plain.left_out || found.left_out, "who looks for more leaves out more");
    require(found.left_out || plain.urls == found.urls,
            "looking for more finds the same links");
    require(found.urls.size() + found.others.size() <= 100,
            "there are no more links than the limit");
    const std::set<common::Url> different(found.urls.begin(), found.urls.end());
    require(different.size() == found.urls.size(), "each link is there once");
    for (const common::Url& url : found.urls)
        require(common::parse_url(url.href()) == url, "each link is a URL");
    for (const common::OtherLink& other : found.others)
        require(other.url.is_malformed() == !common::parse_url(other.url.href())
                    && !(other.url.is_malformed() && other.is_wanted),
                "what else is found is a URL, or says that it is none");

    require_short_way_is_right(page, {.assets = choice % 2 == 0, .ids = choice < 2});

    // The scanner by itself: it stays within the page and only moves forward.
    common::HtmlScanner scanner(page, {.assets = choice % 2 == 0, .ids = choice < 2});
    common::LinkTag tag;
    const char* last = page.data();
    while (scanner.next(tag)) {
        for (const std::string_view value :
             {tag.href, tag.src, tag.content, tag.id, tag.srcset, tag.style}) {
            if (!common::is_there(value))
                continue;
            require(value.data() >= page.data()
                        && value.data() + value.size() <= page.data() + page.size(),
                    "values are parts of the page");
            std::string storage;
            const std::string_view meant = common::decoded(value, storage);
            require(meant.size() <= 3 * value.size(),
                    "a decoded value is at most three times as long");
            require(meant.find('\0') == std::string_view::npos,
                    "a value has no zero bytes");
        }
        if (common::is_there(tag.href)) {
            require(tag.href.data() >= last, "tags come in order");
            last = tag.href.data();
        }
    }
}
