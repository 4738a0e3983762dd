#include "stage3_queue_crawler/program/formats/report_text.h"

#include "common/text/counted.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/natural_order.h"
#include "stage3_queue_crawler/program/formats/orphans.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"
#include "stage3_queue_crawler/program/formats/text_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

/// The line and the column; 0 if they are unknown.
std::pair<std::uint32_t, std::uint32_t> spot_of(const Mention& mention) {
    return mention.place == nullptr
               ? std::pair(0U, 0U)
               : std::pair(mention.place->line(), mention.place->column());
}

// In tables, and in lists of notes.
constexpr std::size_t most_rows = 500;
constexpr std::size_t most_pages = 50;      // of a URL
constexpr std::size_t most_pages_in = 5000; // a table

/// "97,717"
std::string with_commas(std::size_t number) {
    std::string text;
    for (; number >= 1000; number /= 1000)
        text = fmt::format(",{:03}{}", number % 1000, text);
    return std::to_string(number) + text;
}

std::string counted_with_commas(std::size_t number, std::string_view thing) {
    return fmt::format("{} {}{}", with_commas(number), thing, number == 1 ? "" : "s");
}

// ---- Sums ----

/// In each of these, a URL is counted once. A fragment is no URL.
struct Sums {
    explicit Sums(const ReportLines& lines) {
        for (const ReportLine& line : lines)
            ++(line.is_fragment() ? of_fragment(line) : of_url(line));
        urls = dead + unclear + known + ignored + alive + redirects + forbidden;
    }

    std::size_t urls = 0;
    std::size_t dead = 0;
    std::size_t unclear = 0;
    std::size_t known = 0;
    std::size_t ignored = 0;
    std::size_t alive = 0;
    std::size_t redirects = 0;
    std::size_t forbidden = 0; // by robots.txt
    std::size_t fragments = 0; // that are missing
    std::size_t unclear_fragments = 0;
    std::size_t excused_fragments = 0;

  private:
    std::size_t& of_fragment(const ReportLine& line) {
        if (line.standing != Standing::counts)
            return excused_fragments;
        return is_dead(line) ? fragments : unclear_fragments;
    }
    std::size_t& of_url(const ReportLine& line) {
        if (is_bad(line) && line.standing == Standing::known)
            return known;
        if (is_bad(line) && line.standing == Standing::ignored)
            return ignored;
        if (is_dead(line))
            return dead;
        switch (line.outcome) {
        case Outcome::unclear: return unclear;
        case Outcome::redirect: return redirects;
        case Outcome::disallowed: return forbidden;
        default: return alive;
        }
    }
};

std::string sentence_on(const Sums& sums) {
    std::vector<std::string> parts{with_commas(sums.dead) + " dead"};
    for (const auto& [number, what] :
         {std::pair(sums.known, "known to be dead"), std::pair(sums.ignored, "ignored"),
          std::pair(sums.unclear, "unclear"), std::pair(sums.alive, "alive"),
          std::pair(sums.forbidden, "forbidden by robots.txt")})
        if (number > 0)
            parts.push_back(fmt::format("{} {}", with_commas(number), what));
    if (sums.redirects > 0)
        parts.push_back(counted_with_commas(sums.redirects, "redirect"));
    std::string text = fmt::format("{}: {}.", counted_with_commas(sums.urls, "URL"),
                                   common::join(parts, ", "));
    if (sums.fragments + sums.excused_fragments > 0)
        text +=
            fmt::format(" {}.", counted_with_commas(sums.fragments, "missing fragment"));
    if (sums.unclear_fragments > 0)
        text += fmt::format(
            " {}.", counted_with_commas(sums.unclear_fragments, "unclear fragment"));
    if (sums.excused_fragments > 0)
        text += fmt::format(" {} more that don't count.",
                            with_commas(sums.excused_fragments));
    return text;
}

/// "2026-11-27 20:21 UTC"
std::string time_now() {
    const auto now =
        std::chrono::floor<std::chrono::minutes>(std::chrono::system_clock::now());
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(now - day);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count());
}

// ---- Tables ----

/// A link if it can be one: what a server has sent may be "javascript:".
std::string link_to(std::string_view url, std::string_view origin) {
    std::string_view shown = url;
    if (!origin.empty() && url.starts_with(origin)
        && url.substr(origin.size()).starts_with('/'))
        shown.remove_prefix(origin.size());
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return as_markup(url);
    return fmt::format("<a href=\"{}\" rel=\"noreferrer noopener\">{}</a>",
                       as_markup(url), as_markup(shown));
}

class Table {
  public:
    Table(const KnownUrls& urls, std::string_view origin)
        : urls_(urls), origin_(origin) {}

    void add(const ReportLine& line) {
        ++count_;
        if (line.is_fragment() && ++fragments_[line.url] > most_fragments_of_page) {
            ++cut_[line.url];
            return;
        }
        if (rows_ == most_rows)
            return;
        ++rows_;
        text_ += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                             link_to(address(line), origin_),
                             as_markup(kind_and_why(line, urls_)), pages_of(line));
    }

    /// Empty if there is no row.
    std::string take(std::string_view heading) const {
        if (count_ == 0)
            return {};
        std::string text = fmt::format(
            "<h2>{}: {}</h2>\n<table>\n<thead><tr><th scope=\"col\">URL</th>"
            "<th scope=\"col\">Reason</th><th scope=\"col\">On</th></tr></thead>\n"
            "<tbody>\n{}</tbody>\n</table>\n",
            heading, with_commas(count_), text_);
        std::size_t rest = count_ - rows_;
        for (const auto& [url, fragments] : cut_) {
            rest -= fragments;
            text += fmt::format("<p>And {} more fragments of {}: made by scripts?</p>\n",
                                with_commas(fragments), link_to(name_of(url), origin_));
        }
        return text
               + (rest > 0 ? fmt::format("<p>And {} more.</p>\n", with_commas(rest))
                           : "");
    }

  private:
    std::string pages_of(const ReportLine& line) {
        MentionsOfUrl mentions = mentions_of(line, urls_);
        std::ranges::sort(mentions.list, [](const Mention& one, const Mention& other) {
            return one.page != other.page ? comes_before(one.page, other.page)
                                          : spot_of(one) < spot_of(other);
        });
        if (mentions.list.empty())
            return "where the crawl began";
        const std::size_t shown =
            std::min({mentions.list.size(), most_pages, most_pages_in - pages_});
        pages_ += shown;
        std::string text = "<ul>";
        for (std::size_t i = 0; i < shown; ++i)
            text += "<li>" + page_of(mentions.list[i]) + "</li>";
        if (const auto rest = mentions.list.size() - shown; rest > 0)
            text +=
                fmt::format("<li>and {}</li>", counted_with_commas(rest, "more place"));
        if (mentions.more_pages > 0)
            text += fmt::format("<li>and {} more pages, which aren't known</li>",
                                with_commas(mentions.more_pages));
        return text + "</ul>";
    }

    std::string page_of(const Mention& mention) const {
        std::string text = link_to(mention.page, origin_);
        std::string way;
        for (const std::string_view redirect : mention.through)
            way += (way.empty() ? "through " : ", ") + link_to(redirect, origin_);
        if (mention.place != nullptr)
            text +=
                fmt::format(" <small>{}</small>", as_markup(describe(*mention.place)));
        return text + (way.empty() ? "" : fmt::format(" <small>{}</small>", way));
    }

    const KnownUrls& urls_;
    std::string_view origin_;
    std::string text_;
    std::size_t count_ = 0;
    std::size_t rows_ = 0;
    std::size_t pages_ = 0;
    std::map<common::Url, std::size_t> fragments_; // by target
    std::map<common::Url, std::size_t> cut_;       // of these
};

// ---- Notes ----

std::string list_of(std::string_view heading, const std::vector<std::string>& items,
                    std::size_t more = 0) {
    std::string text = fmt::format("<h2>{}</h2>\n", heading);
    text += items.empty() ? "" : "<ul>\n";
    for (const std::string& item : items)
        text += "<li>" + item + "</li>\n";
    if (more > 0)
        text += fmt::format("<li>and {} more</li>\n", with_commas(more));
    return text + (items.empty() ? "" : "</ul>\n");
}

std::string list_of_orphans(const Summary& summary, const ReportLines& lines) {
    if (summary.listed == nullptr)
        return {};
    const std::vector<ListedUrl> orphans = find_orphans(summary, lines);
    const std::size_t shown = std::min(orphans.size(), most_rows);
    std::vector<std::string> items;
    items.reserve(shown);
    for (std::size_t i = 0; i < shown; ++i)
        items.push_back(link_to(name_of(orphans[i].url), {}));
    return list_of(heading_of_orphans(summary, orphans.size()), items,
                   orphans.size() - shown);
}

} // namespace

std::string origin_of_most(const ReportLines& lines) {
    std::map<std::string_view, std::size_t> times;
    for (const ReportLine& line : lines)
        if (!line.url.is_malformed() && name_of(line.url) == line.url.href())
            ++times[line.url.origin()];
    for (const auto& [origin, number] : times)
        if (2 * number > lines.size())
            return std::string(origin);
    return {};
}

std::string html_sums(const Summary& summary, const ReportLines& lines,
                      const ReportOptions& options) {
    const Sums sums(lines);
    const std::vector<Shortfall> shortfalls = shortfalls_of(summary);
    std::string text;
    if (sums.dead + sums.fragments + sums.unclear + sums.unclear_fragments == 0
        && shortfalls.empty())
        text += sums.known + sums.ignored + sums.excused_fragments == 0
                    ? "<p class=\"well\">All is well: no link is dead.</p>\n"
                    : "<p class=\"well\">All is well: no link is newly dead.</p>\n";
    for (const Shortfall& shortfall : shortfalls)
        if (shortfall.kind != Shortfall::Kind::left_out)
            text += fmt::format("<p class=\"warning\">{}: {}.</p>\n",
                                title_of(shortfall.kind), as_markup(shortfall.why));
    if (!summary.left_out.empty())
        text += "<p class=\"warning\">Some links were left out: see the end.</p>\n";
    text += fmt::format("<p class=\"sums\">{}</p>\n", sentence_on(sums));
    text += fmt::format("<p class=\"sums\">{}, after {:.2f} s.", time_now(),
                        summary.time.count());
    if (!options.settings.empty())
        text += fmt::format(" Options: <code>{}</code>", as_markup(options.settings));
    text += "</p>\n";
    if (const std::string origin = origin_of_most(lines); !origin.empty())
        text += fmt::format("<p class=\"sums\">URLs that begin with / are on {}.</p>\n",
                            as_markup(origin));
    return text;
}

std::string html_notes(const Summary& summary, const ReportLines& lines) {
    std::string text;
    std::vector<std::string> left_out;
    left_out.reserve(summary.left_out.size());
    for (const LeftOut& links : summary.left_out)
        left_out.push_back(as_markup(describe(links)));
    if (!left_out.empty())
        text += list_of("Left out", left_out);
    std::vector<std::string> revived;
    revived.reserve(summary.revived.size());
    for (const std::string& url : summary.revived)
        revived.push_back(as_markup(url));
    if (!revived.empty())
        text += list_of("In the baseline, and alive again", revived);
    text += list_of_orphans(summary, lines);
    if (summary.is_unchecked && !lines.empty())
        text += "<p>Certificates were not checked (--insecure).</p>\n";
    return text;
}

std::string html_tables(const Summary& summary, const ReportLines& lines) {
    const std::string origin = origin_of_most(lines);
    Table dead(summary.urls, origin);
    Table fragments(summary.urls, origin);
    Table unclear(summary.urls, origin);
    for (const ReportLine* const line : in_natural_order(lines)) {
        if (line->standing != Standing::counts || !is_bad(*line))
            continue;
        Table& of_dead = line->is_fragment() ? fragments : dead;
        (is_dead(*line) ? of_dead : unclear).add(*line);
    }
    return "<p>With JavaScript, this page lists all URLs, and can search, sort and copy "
           "them.</p>\n"
           + dead.take("Dead") + fragments.take("Missing fragments")
           + unclear.take("Unclear");
}

} // namespace stage3
