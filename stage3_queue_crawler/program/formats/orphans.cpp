#include "stage3_queue_crawler/program/formats/orphans.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace stage3 {
namespace {

/// A page's link to itself, such as rel=canonical, helps no one to find it. Neither does
/// its link to a redirect that leads back: `end` is where it ends.
bool is_found(const common::Url& url, const common::Url& end, const KnownUrls& urls) {
    const KnownUrl::Number number = urls.find_number(url);
    if (number == KnownUrl::none)
        return false;
    const KnownUrl& known = urls[number];
    if (known.parent == KnownUrl::none) // a root
        return true;
    const KnownUrl::Number itself = urls.find_number(end);
    if (itself == number)
        return known.is_met_elsewhere;
    bool is_found = false;
    urls.for_each_mention(known, [&](KnownUrl::Number page, const common::LinkPlace&) {
        is_found = is_found || (page != itself && !urls[page].is_redirect);
    });
    return is_found;
}

const ReportLine* find_line(const common::Url& url, const ReportLines& lines) {
    const auto found = std::ranges::lower_bound(lines, url, {}, &ReportLine::url);
    return found != lines.end() && found->url == url ? &*found : nullptr;
}

/// The last hop, if all are known.
const ReportLine* end_of(const ReportLine* hop, const ReportLines& lines) {
    constexpr int most_hops = 100; // from some URL; they may lead in a circle
    for (int i = 0; i < most_hops && hop != nullptr; ++i) {
        if (hop->outcome != Outcome::redirect)
            return hop;
        const auto target = hop->more ? common::parse_url(hop->more->next_url)
                                      : std::optional<common::Url>();
        hop = target ? find_line(*target, lines) : nullptr;
    }
    return nullptr;
}

/// Where redirects lead that can be found.
std::unordered_set<common::Url> ends_of_redirects(const KnownUrls& urls,
                                                  const ReportLines& lines) {
    std::unordered_set<common::Url> ends;
    for (const ReportLine& line : lines) {
        if (line.outcome != Outcome::redirect)
            continue;
        const ReportLine* const end = end_of(&line, lines);
        if (end != nullptr && is_found(line.url, end->url, urls))
            ends.insert(end->url);
    }
    return ends;
}

} // namespace

std::vector<ListedUrl> find_orphans(const Summary& crawl, const ReportLines& lines) {
    std::vector<ListedUrl> orphans;
    if (crawl.listed == nullptr || !crawl.cut_short.empty())
        return orphans;
    std::unordered_set<common::Url> known = ends_of_redirects(crawl.urls, lines);
    for (const ListedUrl& one : *crawl.listed) {
        const ReportLine* const end = end_of(find_line(one.url, lines), lines);
        const bool is_ours_and_alive =
            end != nullptr
            && (end->outcome == Outcome::page || end->outcome == Outcome::file)
            && common::without_www(end->url.host())
                   == common::without_www(one.url.host());
        if (is_ours_and_alive && !is_found(end->url, end->url, crawl.urls)
            && known.insert(end->url).second)
            orphans.push_back({.url = end->url, .sitemap = one.sitemap});
    }
    std::ranges::sort(orphans, {}, &ListedUrl::url);
    return orphans;
}

std::string heading_of_orphans(const Summary& crawl, std::size_t orphans) {
    if (!crawl.cut_short.empty())
        return "Orphans: unknown, since the crawl was cut short";
    constexpr std::string_view lack = "since not all sitemaps were read in full";
    if (crawl.lacks_sitemaps && orphans == 0)
        return fmt::format("Orphans: unknown, {}", lack);
    const std::string more =
        crawl.lacks_sitemaps ? fmt::format(", perhaps not exactly these, {}", lack) : "";
    return fmt::format(
        "Orphans, which a sitemap lists, and no page that was read links to: {}{}",
        orphans == 0 ? "none" : std::to_string(orphans), more);
}

} // namespace stage3
