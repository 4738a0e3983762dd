#include "stage3_queue_crawler/program/text_report.h"

#include "common/text/join.h"
#include "common/web/refused.h"
#include "stage3_queue_crawler/program/escape.h"
#include "stage3_queue_crawler/program/redirects_to_mend.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

namespace stage3 {
namespace {

/// "500 page, 20 redirect".
template <class Counts>
std::string list(const Counts& counts) {
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [what, count] : counts)
        parts.push_back(fmt::format("{} {}", count, what));
    return common::join(parts, ", ");
}

bool is_fragment(const ReportLine& line) {
    return line.more && !line.more->fragment.empty();
}

/// With its fragment.
std::string address(const ReportLine& line) {
    std::string text(line.url.href());
    if (is_fragment(line))
        text += '#' + for_terminal(line.more->fragment);
    return text;
}

std::string sums(const std::deque<ReportLine>& lines) {
    std::map<std::string, std::size_t> by_outcome;
    std::map<std::string, std::size_t> by_status;
    std::size_t bytes = 0;
    for (const ReportLine& line : lines) {
        if (is_fragment(line)) {
            ++by_outcome["missing fragment"];
            continue;
        }
        ++by_outcome[std::string(name_of(line.outcome))];
        ++by_status[line.status != 0 ? fmt::format("with status {}", line.status)
                                     : "without a status"];
        bytes += line.bytes;
    }
    return fmt::format("URLs:  {}\n       {}\nBytes: {}\n", list(by_outcome),
                       list(by_status), bytes);
}

/// The links found on the most pages, the most common first.
std::string most_met(const KnownUrls& urls, std::size_t top) {
    std::vector<const KnownUrl*> all = urls.all();
    std::erase_if(all, [](const KnownUrl* url) {
        return url->times_met == 0 || !common::leads_on(url->role);
    });
    const auto comes_first = [](const KnownUrl* a, const KnownUrl* b) {
        return a->times_met != b->times_met ? a->times_met > b->times_met
                                            : a->url < b->url;
    };
    top = std::min(top, all.size());
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(top),
                              comes_first);
    std::string text = top == 0 ? "" : "On how many pages a link was met:\n";
    for (std::size_t i = 0; i < top; ++i)
        text += fmt::format("{:>8}  {}\n", all[i]->times_met, all[i]->url.href());
    return text;
}

std::string describe_bad(const ReportLine& line, const KnownUrls& urls) {
    const KnownUrl* const known = urls.find(line.url);
    const bool is_link = known == nullptr || is_fragment(line)
                         || known->role == common::LinkRole::hyperlink;
    std::string text =
        fmt::format("  {} ({}{})\n", address(line),
                    is_link ? "" : std::string(common::name_of(known->role)) + ": ",
                    line.more ? for_terminal(line.more->error) : "");
    if (known == nullptr)
        return text;
    if (is_fragment(line)) {
        for (const common::Url& page : line.more->pages)
            text += fmt::format("    on {}\n", page.href());
        return text;
    }
    const bool is_root = known->pages().empty() && known->parent == KnownUrl::none;
    if (is_root && line.more && line.more->error == "connection refused")
        if (const auto advice = common::advice_if_refused(line.url.host());
            !advice.empty())
            text += fmt::format("    {}\n", advice);
    return text + list_pages(line.url, urls);
}

std::string to_mend(const std::deque<ReportLine>& lines, const KnownUrls& urls) {
    const auto redirects = redirects_to_mend(lines, urls);
    if (redirects.empty())
        return "Redirects to mend: none\n";
    std::string text = "Redirects to mend:\n";
    for (const RedirectToMend& redirect : redirects)
        text += to_text(redirect, urls);
    return text;
}

} // namespace

ReportLine::ReportLine(const Record& record)
    : url(record.url), bytes(record.bytes), status(record.status),
      outcome(record.outcome) {
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

std::string to_text(const ReportLine& line) {
    const std::string status = line.status != 0 ? std::to_string(line.status) : "-";
    std::string text = fmt::format("{:<10}  {:>3}  {:>8}  {}", name_of(line.outcome),
                                   status, line.bytes, address(line));
    if (line.more && !line.more->next_url.empty())
        text += " -> " + for_terminal(line.more->next_url);
    if (line.more && !line.more->error.empty())
        text += " (" + for_terminal(line.more->error) + ")";
    return text;
}

std::string list_pages(const common::Url& url, const KnownUrls& urls) {
    const KnownUrl* const known = urls.find(url);
    if (known == nullptr)
        return {};
    std::string text;
    for (const KnownUrl::Number page : known->pages())
        text += fmt::format("    on {}\n", urls[page].url.href());
    if (known->pages().empty() && known->parent != KnownUrl::none) // a redirect
        text += fmt::format("    on {}\n", urls[known->parent].url.href());
    if (known->times_met > known->pages().size())
        text +=
            fmt::format("    and on {} more\n", known->times_met - known->pages().size());
    return text;
}

std::string text_report(std::deque<ReportLine> lines, const Summary& crawl,
                        const ReportOptions& options) {
    std::ranges::sort(lines, std::less());
    std::string text;
    for (const ReportLine& line : lines)
        text += to_text(line) + '\n';
    text += '\n' + sums(lines) + most_met(crawl.urls, options.top);
    if (options.redirects)
        text += to_mend(lines, crawl.urls);

    if (!crawl.left_out.empty())
        text += "Links that were left out, counted on each page:\n";
    for (const LeftOut& kind : crawl.left_out)
        text += fmt::format("{:8}  {}, such as {}\n", kind.links, kind.why, kind.example);

    const auto over_tls = std::ranges::count_if(lines, [](const ReportLine& line) {
        return line.status != 0 && line.url.scheme() == "https";
    });
    if (crawl.is_unchecked && over_tls > 0)
        text += fmt::format("Responses over TLS whose certificates were not checked "
                            "(--insecure): {}\n",
                            over_tls);

    const auto count = [&](Outcome outcome) {
        return std::ranges::count(lines, outcome, &ReportLine::outcome);
    };
    const auto dead = count(Outcome::error) + count(Outcome::failed);
    const auto unclear = count(Outcome::unclear);
    text += fmt::format("Done in {:.2f} s: {} fetched, {} redirects, {} dead{}.\n",
                        crawl.time.count(), count(Outcome::page) + count(Outcome::file),
                        count(Outcome::redirect), dead,
                        unclear > 0 ? fmt::format(", {} unclear", unclear) : "");
    if (unclear > 0)
        text += "Unclear:\n";
    for (const ReportLine& line : lines)
        if (line.outcome == Outcome::unclear)
            text += describe_bad(line, crawl.urls);
    if (dead > 0)
        text += "Dead:\n";
    for (const ReportLine& line : lines)
        if (is_dead(line.outcome))
            text += describe_bad(line, crawl.urls);
    return text;
}

} // namespace stage3
