#include "stage3_queue_crawler/program/formats/orphans.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace stage3 {
namespace {

/// A page's link to itself, such as rel=canonical, helps no one to find it.
bool is_found(const common::Url& url, const KnownUrls& urls) {
    const KnownUrl::Number number = urls.find_number(url);
    if (number == KnownUrl::none)
        return false;
    const KnownUrl& known = urls[number];
    const auto is_other = [number](KnownUrl::Number page) { return page != number; };
    return std::ranges::any_of(known.pages(), is_other)
           || known.parent == KnownUrl::none; // a root
}

const ReportLine* find_line(const common::Url& url, const ReportLines& lines) {
    const auto found = std::ranges::lower_bound(lines, url, {}, &ReportLine::url);
    return found != lines.end() && found->url == url ? &*found : nullptr;
}

std::optional<common::Url> target_of(const ReportLine& line) {
    if (line.outcome != Outcome::redirect || !line.more)
        return {};
    return common::parse_url(line.more->next_url);
}

/// Where redirects lead that can be found, at every hop.
std::unordered_set<common::Url> ends_of_redirects(const KnownUrls& urls,
                                                  const ReportLines& lines) {
    std::unordered_set<common::Url> ends;
    for (const ReportLine& line : lines) {
        if (line.outcome != Outcome::redirect || !is_found(line.url, urls))
            continue;
        const ReportLine* hop = &line;
        while (hop != nullptr) {
            const auto target = target_of(*hop);
            if (!target || !ends.insert(*target).second)
                break; // the rest of its way is known
            hop = find_line(*target, lines);
        }
    }
    return ends;
}

} // namespace

std::vector<const ListedUrl*> find_orphans(const Summary& crawl,
                                           const ReportLines& lines) {
    std::vector<const ListedUrl*> orphans;
    if (crawl.listed == nullptr)
        return orphans;
    const auto ends = ends_of_redirects(crawl.urls, lines);
    for (const ListedUrl& one : *crawl.listed) {
        const ReportLine* const line = find_line(one.url, lines);
        const bool is_alive =
            line != nullptr
            && (line->outcome == Outcome::page || line->outcome == Outcome::file);
        if (is_alive && !is_found(one.url, crawl.urls) && !ends.contains(one.url))
            orphans.push_back(&one);
    }
    std::ranges::sort(orphans, {}, &ListedUrl::url);
    return orphans;
}

} // namespace stage3
