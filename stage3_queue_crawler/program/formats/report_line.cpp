#include "stage3_queue_crawler/program/formats/report_line.h"

#include "common/web/links.h"
#include "stage3_queue_crawler/program/formats/escape.h"

#include <fmt/core.h>

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
                                           .pages = record.pages});
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
    std::string text(line.url.href());
    if (line.is_fragment())
        text += '#' + for_terminal(line.more->fragment);
    return text;
}

std::string why(const ReportLine& line) {
    return line.more ? for_terminal(line.more->error) : std::string();
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

LinkingPages pages_with(const common::Url& url, const KnownUrls& urls) {
    LinkingPages pages;
    const KnownUrl* const known = urls.find(url);
    if (known == nullptr)
        return pages;
    for (const KnownUrl::Number page : known->pages())
        pages.urls.push_back(urls[page].url.href());
    if (known->pages().empty() && known->parent != KnownUrl::none) // a redirect
        pages.urls.push_back(urls[known->parent].url.href());
    if (known->times_met > known->pages().size())
        pages.more = known->times_met - known->pages().size();
    return pages;
}

LinkingPages pages_with(const ReportLine& line, const KnownUrls& urls) {
    if (!line.is_fragment())
        return pages_with(line.url, urls);
    LinkingPages pages;
    for (const common::Url& page : line.more->pages)
        pages.urls.push_back(page.href());
    return pages;
}

Counts count(const ReportLines& lines) {
    Counts counts;
    for (const ReportLine& line : lines) {
        const bool is_unclear = line.outcome == Outcome::unclear;
        if (is_dead(line) || is_unclear) {
            if (line.standing == Standing::ignored)
                ++counts.ignored;
            else if (line.standing == Standing::known)
                ++counts.known;
            else
                ++(is_unclear ? counts.unclear : counts.dead);
        } else if (line.outcome == Outcome::redirect) {
            ++counts.redirects;
        } else if (line.outcome != Outcome::disallowed) {
            ++counts.alive;
        }
    }
    return counts;
}

std::string describe(const Counts& counts) {
    std::string text = fmt::format("{} dead", counts.dead);
    for (const auto& [number, what] :
         {std::pair(counts.known, "known"), std::pair(counts.ignored, "ignored"),
          std::pair(counts.unclear, "unclear")})
        if (number > 0)
            text += fmt::format(", {} {}", number, what);
    return text;
}

} // namespace stage3
