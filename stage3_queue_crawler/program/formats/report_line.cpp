#include "stage3_queue_crawler/program/formats/report_line.h"

#include "common/text/counted.h"
#include "common/web/links.h"
#include "common/web/readable_text.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"

#include <fmt/core.h>

#include <unordered_set>
#include <utility>

namespace stage3 {

std::string_view name_of(Standing standing) {
    switch (standing) {
    case Standing::known: return "known";
    case Standing::ignored: return "ignored";
    case Standing::counts: break;
    }
    return {};
}

ReportLine::ReportLine(const Record& record, Standing how)
    : url(record.url), bytes(record.bytes), status(record.status),
      outcome(record.outcome), standing(how) {
    if (!record.next_url.empty() || !record.error.empty())
        more = std::make_unique<More>(More{.next_url = record.next_url,
                                           .error = record.error,
                                           .fragment = record.fragment,
                                           .nearest_id = record.nearest_id,
                                           .mentions = record.mentions,
                                           .more_mentions = record.more_mentions});
}

bool ReportLine::operator<(const ReportLine& other) const {
    if (url != other.url)
        return url < other.url;
    const auto fragment = [](const ReportLine& line) {
        return line.more ? std::string_view(line.more->fragment) : std::string_view();
    };
    return fragment(*this) < fragment(other);
}

std::string address(const ReportLine& line) {
    std::string text(name_of(line.url));
    if (line.is_fragment())
        text += '#' + common::readable(line.more->fragment);
    return text;
}

std::string why(const ReportLine& line) {
    if (!line.more)
        return {};
    std::string text = for_terminal(line.more->error);
    if (!line.more->nearest_id.empty())
        text +=
            fmt::format(": did you mean #{}?", common::readable(line.more->nearest_id));
    return text;
}

std::string_view kind_of(const ReportLine& line, const KnownUrls& urls) {
    const KnownUrl* const known = urls.find(line.url);
    const bool is_link = known == nullptr || line.is_fragment()
                         || known->role == common::LinkRole::hyperlink
                         || (known->role == common::LinkRole::sitemap
                             && known->times_met > 0); // pages link to it, too
    return is_link ? std::string_view() : common::name_of(known->role);
}

std::string kind_and_why(const ReportLine& line, const KnownUrls& urls) {
    const std::string_view kind = kind_of(line, urls);
    return fmt::format("{}{}{}", kind, kind.empty() ? "" : ": ", why(line));
}

std::string_view kind_of(const Record& record) {
    return record.role ? common::name_of(*record.role) : std::string_view();
}

namespace {

/// Follows mentions back through redirects.
class MentionFinder {
  public:
    explicit MentionFinder(const KnownUrls& urls) : urls_(urls) {}

    MentionsOfUrl find(const common::Url& url) {
        if (const auto number = urls_.find_number(url); number != KnownUrl::none)
            find(number);
        return std::move(found_);
    }

  private:
    using Number = KnownUrl::Number;

    void find(Number number) {
        const KnownUrl& known = urls_[number];
        Number last = KnownUrl::none;
        std::size_t pages = 0;
        bool has_some = false;
        urls_.for_each_mention(known, [&](Number page, const common::LinkPlace& place) {
            has_some = true;
            if (urls_[page].is_redirect) {
                go_back(page);
                return;
            }
            take(page, place.is_known() ? &place : nullptr);
            pages += page == last ? 0 : 1;
            last = page;
        });
        if (!has_some && known.parent != KnownUrl::none) { // a sitemap; or several
            if (urls_[known.parent].is_redirect)           // processes have crawled
                go_back(known.parent);
            else
                take(known.parent, nullptr);
        }
        if (known.times_met > pages)
            found_.more_pages += known.times_met - pages;
    }

    /// The URL `redirect` has redirected.
    void go_back(Number redirect) {
        if (!seen_.insert(redirect).second)
            return;                     // redirects go in a circle
        if (way_.size() == most_hops) { // a site may have a chain of a million
            take(redirect, nullptr);
            return;
        }
        const std::size_t before = found_.list.size();
        way_.push_back(name_of(urls_[redirect].url));
        find(redirect);
        way_.pop_back();
        if (found_.list.size() == before) // the crawl began with it
            take(redirect, nullptr);
    }

    void take(Number page, const common::LinkPlace* place) {
        found_.list.push_back({.page = name_of(urls_[page].url),
                               .through = {way_.rbegin(), way_.rend()},
                               .place = place});
    }

    static constexpr std::size_t most_hops = 20; // as many as a browser follows

    const KnownUrls& urls_;
    std::vector<std::string_view> way_; // redirects, the last one first
    std::unordered_set<Number> seen_;   // those that were followed
    MentionsOfUrl found_;
};

} // namespace

MentionsOfUrl mentions_of(const common::Url& url, const KnownUrls& urls) {
    return MentionFinder(urls).find(url);
}

MentionsOfUrl mentions_of(const ReportLine& line, const KnownUrls& urls) {
    if (!line.is_fragment())
        return mentions_of(line.url, urls);
    MentionsOfUrl all;
    for (const MentionedOn& one : line.more->mentions)
        all.list.push_back({.page = name_of(one.page),
                            .through = {},
                            .place = one.place.is_known() ? &one.place : nullptr});
    all.more_pages = line.more->more_mentions;
    return all;
}

std::string describe(const common::LinkPlace& place) {
    std::string text = fmt::format("line {}", place.line());
    if (place.column() > 0)
        text += fmt::format(", column {}", place.column());
    text += fmt::format(", {}=\"{}\"", common::name_of(place.role()),
                        common::readable(place.href()));
    if (const std::string words = place.text(); !words.empty())
        text += fmt::format(", \"{}\"", common::readable(words));
    return text;
}

void Counts::add(Outcome outcome, Standing standing, bool is_fragment) {
    const bool is_unclear = outcome == Outcome::unclear;
    if (is_dead(outcome) || is_unclear) {
        if (standing == Standing::ignored)
            ++ignored;
        else if (standing == Standing::known)
            ++known;
        else if (is_unclear)
            ++unclear;
        else
            ++(is_fragment ? fragments : dead);
    } else if (outcome == Outcome::redirect) {
        ++redirects;
    } else {
        ++(outcome == Outcome::disallowed ? disallowed : alive);
    }
}

bool is_bad(const ReportLine& line) {
    return is_dead(line) || line.outcome == Outcome::unclear;
}

ReportLines::const_iterator end_of_fragments(ReportLines::const_iterator line,
                                             const ReportLines::const_iterator& end) {
    const auto first = line;
    while (line != end && line->is_fragment() && line->standing == Standing::counts
           && line->url == first->url)
        ++line;
    return line;
}

Counts count(const ReportLines& lines) {
    Counts counts;
    for (const ReportLine& line : lines)
        counts.add(is_dead(line) ? Outcome::error : line.outcome, line.standing,
                   line.is_fragment());
    return counts;
}

std::string describe(const Counts& counts) {
    std::string text = fmt::format("{} dead", counts.dead);
    if (counts.fragments > 0)
        text += ", " + common::counted(counts.fragments, "missing fragment");
    for (const auto& [number, what] :
         {std::pair(counts.known, "known"), std::pair(counts.ignored, "ignored"),
          std::pair(counts.unclear, "unclear")})
        if (number > 0)
            text += fmt::format(", {} {}", number, what);
    return text;
}

} // namespace stage3
