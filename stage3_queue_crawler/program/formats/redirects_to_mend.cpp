#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"

#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/redirect_circles.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/text_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace stage3 {
namespace {

constexpr std::string_view not_fetched = "not fetched";
/// Of a chain: a site could have one of ten thousand, each of which begins another.
constexpr std::size_t most_hops = 20;
constexpr std::string_view too_many = "more redirects";

/// nullptr if this URL wasn't fetched.
const ReportLine* find_fetched(const ReportLines& lines, const common::Url& url) {
    const auto at = std::ranges::lower_bound(lines, url, {}, &ReportLine::url);
    const bool is_one =
        at != lines.end() && at->url == url && at->outcome != Outcome::disallowed;
    return is_one ? &*at : nullptr;
}

/// By a sitemap. (What a listed URL redirects to has the same role.)
bool is_listed(const KnownUrl& known, const KnownUrls& urls) {
    return known.role == common::LinkRole::sitemap
           && urls[known.parent].role != common::LinkRole::sitemap;
}

/// True for dead ones, too: the last hop of a circle, or one beyond the limit.
bool is_hop(const ReportLine& line) {
    return line.outcome == Outcome::redirect
           || (line.outcome == Outcome::failed && line.more
               && !line.more->next_url.empty());
}

RedirectToMend follow(const ReportLine& start, const ReportLines& lines) {
    RedirectToMend way{.url = start.url,
                       .leads_to = {},
                       .statuses = {},
                       .ends = {},
                       .standing = start.standing};
    const ReportLine* hop = &start;
    while (hop && is_hop(*hop)) {
        way.statuses.push_back(hop->status);
        way.leads_to.push_back(hop->more ? hop->more->next_url : "");
        // The redirect limit may have hidden a circle.
        const bool comes_back = std::ranges::count(way.leads_to, way.leads_to.back()) > 1;
        if (comes_back || (hop->more && hop->more->error == redirect_loop)) {
            way.ends = redirect_loop;
            return way;
        }
        if (way.leads_to.size() == most_hops) {
            way.ends = too_many;
            return way;
        }
        const auto next = common::parse_url(way.leads_to.back());
        hop = next ? find_fetched(lines, *next) : nullptr;
    }
    if (hop == nullptr)
        way.ends = not_fetched;
    else if (is_dead(hop->outcome))
        way.ends = hop->more ? hop->more->error : name_of(hop->outcome);
    return way;
}

std::vector<std::string> as_texts(const std::vector<int>& numbers) {
    std::vector<std::string> texts;
    texts.reserve(numbers.size());
    for (const int number : numbers)
        texts.push_back(std::to_string(number));
    return texts;
}

/// For a person; empty if it ends well.
std::string describe_end(const RedirectToMend& redirect) {
    if (redirect.ends.empty())
        return {};
    if (redirect.ends == not_fetched)
        return "; its end was not fetched";
    return "; ends in "
           + (redirect.ends == redirect_loop ? "a redirect loop"
                                             : for_terminal(redirect.ends));
}

/// "(301, then 302; its end was not fetched)", for a person.
std::string describe_way(const RedirectToMend& redirect) {
    return fmt::format("({}{})", common::join(as_texts(redirect.statuses), ", then "),
                       describe_end(redirect));
}

bool is_permanent(int status) { return status == 301 || status == 308; }

/// ["a", "b"], of texts that are JSON already.
std::string as_list(const std::vector<std::string>& texts) {
    return '[' + common::join(texts, ", ") + ']';
}

} // namespace

std::vector<RedirectToMend> redirects_to_mend(const ReportLines& lines,
                                              const KnownUrls& urls) {
    std::vector<RedirectToMend> all;
    for (const ReportLine& line : lines) {
        const KnownUrl* const known = urls.find(line.url);
        const bool is_only_a_hop = known && known->times_met == 0
                                   && known->parent != KnownUrl::none
                                   && !is_listed(*known, urls);
        if (!is_hop(line) || is_only_a_hop)
            continue;
        RedirectToMend way = follow(line, lines);
        if (is_permanent(line.status) || way.leads_to.size() > 1)
            all.push_back(std::move(way));
    }
    return all;
}

std::string to_text(const RedirectToMend& redirect, const KnownUrls& urls) {
    std::string text = fmt::format("  {}", name_of(redirect.url));
    for (const std::string& hop : redirect.leads_to)
        text += " -> " + for_terminal(name_of_url(hop));
    text += ' ' + describe_way(redirect) + '\n';
    const std::string pages = list_mentions(mentions_of(redirect.url, urls));
    return text + (pages.empty() ? "    where the crawl began\n" : pages);
}

std::string to_json(const RedirectToMend& redirect, const KnownUrls& urls,
                    bool with_excuse) {
    std::vector<std::string> hops;
    hops.reserve(redirect.leads_to.size());
    for (const std::string& hop : redirect.leads_to)
        hops.push_back(as_json(name_of_url(hop)));
    std::vector<std::string> pages;
    const KnownUrl* const known = urls.find(redirect.url);
    KnownUrl::Number last = KnownUrl::none;
    if (known)
        urls.for_each_mention(*known,
                              [&](KnownUrl::Number page, const common::LinkPlace&) {
                                  if (page != last && !urls[page].is_redirect)
                                      pages.push_back(as_json(name_of(urls[page].url)));
                                  last = page;
                              });
    const std::string excuse = redirect.standing == Standing::counts
                                   ? "null"
                                   : as_json(name_of(redirect.standing));
    return fmt::format(R"({{"redirect_to_mend": {}, "leads_to": {}, "statuses": {}, )"
                       R"("ends": {}, "linked_on": {}, "times_linked": {}{}}})"
                       "\n",
                       as_json(name_of(redirect.url)), as_list(hops),
                       as_list(as_texts(redirect.statuses)),
                       redirect.ends.empty() ? "null" : as_json(redirect.ends),
                       as_list(pages), known ? known->times_met : 0,
                       with_excuse ? R"(, "excuse": )" + excuse : "");
}

std::size_t take_for_dead(ReportLines& lines, const KnownUrls& urls, Baseline& baseline) {
    std::size_t number = 0;
    for (const RedirectToMend& redirect : redirects_to_mend(lines, urls)) {
        ReportLine& line =
            *std::ranges::lower_bound(lines, redirect.url, {}, &ReportLine::url);
        if (line.outcome != Outcome::redirect)
            continue;
        line.more = std::make_unique<ReportLine::More>(
            ReportLine::More{.next_url = redirect.leads_to.front(),
                             .error = fmt::format("redirects to {} {}",
                                                  name_of_url(redirect.leads_to.back()),
                                                  describe_way(redirect)),
                             .fragment = {},
                             .nearest_id = {},
                             .mentions = {}});
        line.standing = baseline.standing_of_redirect(line.url);
        ++number;
    }
    return number;
}

} // namespace stage3
