#include "stage3_queue_crawler/program/formats/text_report.h"

#include "common/text/counted.h"
#include "common/text/join.h"
#include "common/text/refused_advice.h"
#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/orphans.h"
#include "stage3_queue_crawler/program/formats/problem_report.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace stage3 {
namespace {

/// Only in the book's repository is there such a program.
bool has_learn() {
    std::error_code error;
    return std::filesystem::is_regular_file("learn", error);
}

/// "500 page, 20 redirect".
template <class Numbers>
std::string list(const Numbers& counts) {
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [what, count] : counts)
        parts.push_back(fmt::format("{} {}", count, what));
    return common::join(parts, ", ");
}

std::string sums(const ReportLines& lines) {
    std::map<std::string, std::size_t> by_outcome;
    std::map<std::string, std::size_t> by_status;
    std::size_t bytes = 0;
    for (const ReportLine& line : lines) {
        if (line.is_fragment()) {
            ++by_outcome[is_dead(line) ? "missing fragment" : "unclear fragment"];
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
        return url->times_met == 0
               || (!common::leads_on(url->role)
                   && url->role != common::LinkRole::sitemap);
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
        text += fmt::format("{:>8}  {}\n", all[i]->times_met, name_of(all[i]->url));
    return text;
}

std::string describe_bad(const ReportLine& line, const KnownUrls& urls) {
    std::string text =
        fmt::format("  {} ({})\n", address(line), kind_and_why(line, urls));
    if (const std::string advice = advice_on(line, urls); !advice.empty())
        text += fmt::format("    {}\n", advice);
    return text + list_mentions(mentions_of(line, urls));
}

/// The lines for which `is_wanted` is true, under a heading if there are any.
template <class IsWanted>
std::string list_bad(const char* heading, const ReportLines& lines, const KnownUrls& urls,
                     IsWanted is_wanted) {
    std::string text;
    for (const ReportLine& line : lines)
        if ((is_dead(line) || line.outcome == Outcome::unclear) && is_wanted(line))
            text += describe_bad(line, urls);
    return text.empty() ? text : heading + text;
}

/// The same for those that don't count, which is why their pages are left out.
std::string name_bad(const char* heading, const ReportLines& lines, Standing standing) {
    std::string text;
    for (const ReportLine& line : lines)
        if (line.standing == standing)
            text += fmt::format("  {} ({})\n", address(line), why(line));
    return text.empty() ? text : heading + text;
}

class TextFormat final : public Format {
  public:
    explicit TextFormat(ReportOptions options) : options_(std::move(options)) {}

    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        return options_.show == Show::all ? text_report(lines, summary, options_)
                                          : problem_report(lines, summary, options_);
    }

  private:
    ReportOptions options_;
};

} // namespace

std::unique_ptr<Format> make_text(const ReportOptions& options) {
    return std::make_unique<TextFormat>(options);
}

std::string to_text(const ReportLine& line) {
    const std::string status = line.status != 0 ? std::to_string(line.status) : "-";
    std::string text = fmt::format("{:<10}  {:>3}  {:>8}  {}", name_of(line.outcome),
                                   status, line.bytes, address(line));
    if (line.more && !line.more->next_url.empty())
        text += " -> " + for_terminal(name_of_url(line.more->next_url));
    if (line.more && !line.more->error.empty() && line.outcome != Outcome::redirect)
        text += " (" + why(line) + ")";
    return text;
}

std::string describe_way(const std::vector<std::string_view>& through) {
    return through.empty() ? "" : ", through " + common::join(through, ", ");
}

std::vector<std::string> describe_pages(const MentionsOfUrl& mentions, std::size_t most) {
    std::vector<std::string> lines;
    std::string_view last;
    std::size_t pages = 0;
    std::size_t more_places = 0; // on pages that are named
    for (const Mention& mention : mentions.list) {
        pages += mention.page == last ? 0 : 1;
        last = mention.page;
        if (pages > most)
            continue;
        if (lines.size() >= 2 * most) {
            ++more_places;
            continue;
        }
        std::string line = fmt::format("on {}", mention.page);
        if (mention.place != nullptr)
            line += ", " + describe(*mention.place);
        line += describe_way(mention.through);
        lines.push_back(std::move(line));
    }
    if (more_places > 0)
        lines.push_back("and in " + common::counted(more_places, "more place"));
    const std::size_t left = pages - std::min(pages, most) + mentions.more_pages;
    if (left > 0)
        lines.push_back(fmt::format("and on {} more", left));
    return lines;
}

std::string advice_on(const ReportLine& line, const KnownUrls& urls) {
    const KnownUrl* const known = urls.find(line.url);
    const bool is_root =
        known && known->times_met == 0 && known->parent == KnownUrl::none;
    if (!is_root || !line.more)
        return {};
    if (line.more->error.starts_with("cannot resolve")
        && line.url.host().find('.') == std::string_view::npos)
        return fmt::format("there is no folder '{}' here, either", line.url.host());
    if (line.more->error != "connection refused")
        return {};
    return std::string(common::advice_if_refused(line.url.host(), has_learn()));
}

std::string list_mentions(const MentionsOfUrl& mentions) {
    constexpr std::size_t most = 10;
    std::string text;
    for (const std::string& page : describe_pages(mentions, most))
        text += fmt::format("    {}\n", page);
    return text;
}

std::string list_redirects_to_mend(const ReportLines& lines, const KnownUrls& urls) {
    const auto redirects = redirects_to_mend(lines, urls);
    if (redirects.empty())
        return "Redirects to mend: none\n";
    std::string text = "Redirects to mend:\n";
    for (const RedirectToMend& redirect : redirects)
        text += to_text(redirect, urls);
    return text;
}

std::string list_orphans(const Summary& crawl, const ReportLines& lines) {
    constexpr std::size_t most = 100;
    const std::vector<ListedUrl> orphans = find_orphans(crawl, lines);
    std::string text = heading_of_orphans(crawl, orphans.size()) + '\n';
    for (std::size_t i = 0; i < std::min(most, orphans.size()); ++i)
        text += fmt::format("  {}\n", name_of(orphans[i].url));
    if (orphans.size() > most)
        text += fmt::format("  and {} more (--format jsonl lists them all)\n",
                            orphans.size() - most);
    return text;
}

std::string warn_of_certificates(const Summary& crawl, const ReportLines& lines) {
    const auto over_tls = std::ranges::count_if(lines, [](const ReportLine& line) {
        return line.status != 0 && line.url.scheme() == "https";
    });
    return crawl.is_unchecked && over_tls > 0
               ? fmt::format("Responses over TLS whose certificates were not checked "
                             "(--insecure): {}\n",
                             over_tls)
               : std::string();
}

std::string text_report(const ReportLines& lines, const Summary& crawl,
                        const ReportOptions& options) {
    std::string text;
    for (const ReportLine& line : lines)
        text += to_text(line) + '\n';
    text += '\n' + sums(lines) + most_met(crawl.urls, options.top);
    if (options.redirects)
        text += list_redirects_to_mend(lines, crawl.urls);
    if (options.sitemap)
        text += list_orphans(crawl, lines);

    if (!crawl.left_out.empty())
        text += "Left out:\n";
    for (const LeftOut& links : crawl.left_out)
        text += fmt::format("  {}\n", describe(links));

    text += warn_of_certificates(crawl, lines);

    for (const Shortfall& shortfall : shortfalls_of(crawl))
        if (shortfall.kind != Shortfall::Kind::left_out)
            text += fmt::format("{}: {}.\n", title_of(shortfall.kind), shortfall.why);
    const Counts counts = count(lines);
    text += fmt::format("Done in {:.2f} s: {} fetched, {}, {}.\n", crawl.time.count(),
                        counts.alive, common::counted(counts.redirects, "redirect"),
                        describe(counts));
    if (!crawl.revived.empty())
        text += "Alive again (in the baseline):\n";
    for (const std::string& url : crawl.revived)
        text += "  " + url + '\n';
    text += name_bad("Ignored (--ignore-file):\n", lines, Standing::ignored);
    text += name_bad("Known (in the baseline):\n", lines, Standing::known);
    const auto list_with = [&](const char* heading, auto is_wanted) {
        return list_bad(heading, lines, crawl.urls, is_wanted);
    };
    text += list_with("Unclear:\n", [](const ReportLine& line) {
        return !is_dead(line) && line.standing == Standing::counts;
    });
    return text + list_with("Dead:\n", counts_as_dead);
}

} // namespace stage3
