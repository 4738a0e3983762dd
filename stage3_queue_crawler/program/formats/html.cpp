#include "common/text/counted.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/orphans.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "stage3_queue_crawler/program/formats/report_page.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

/// How many dead URLs are listed for a browser without scripts, and how many orphans.
constexpr std::size_t most_without_script = 500;

// [in-script]
/// JSON that can't end the script element that it's in.
std::string in_script(std::string_view text) {
    std::string out;
    for (const char c : as_json(for_terminal(text)))
        if (c == '<' || c == '>')
            out += c == '<' ? "\\u003c" : "\\u003e";
        else
            out += c;
    return out;
}
// [/in-script]

/// Each page once, with a number.
class PageNumbers {
  public:
    /// "[3,4],7": the numbers, and how many more pages there are.
    std::string numbers_of(const LinkingPages& pages) {
        std::vector<std::string> numbers;
        for (const std::string_view url : pages.urls) {
            const auto [at, is_new] = numbers_.emplace(url, urls_.size());
            if (is_new)
                urls_.push_back(in_script(url));
            numbers.push_back(std::to_string(at->second));
        }
        return fmt::format("[{}],{}", common::join(numbers, ","), pages.more);
    }
    std::string list() const { return '[' + common::join(urls_, ",\n") + ']'; }

  private:
    std::map<std::string_view, std::size_t> numbers_;
    std::vector<std::string> urls_;
};

/// An array that report.js takes apart. What most rows don't have is at its end.
std::string row_of(const ReportLine& line, const KnownUrls& urls, PageNumbers& numbers) {
    std::string row = fmt::format("[{},{},{},{}", static_cast<int>(line.outcome),
                                  line.status, line.bytes, in_script(address(line)));
    if (line.more) {
        row +=
            fmt::format(",{},{},{}", in_script(why(line)), in_script(line.more->next_url),
                        static_cast<int>(line.standing));
        if (is_dead(line) || line.outcome == Outcome::unclear)
            row += fmt::format(",{},{}", numbers.numbers_of(pages_with(line, urls)),
                               in_script(kind_of(line, urls)));
    }
    return row + ']';
}

std::string row_of(const RedirectToMend& redirect, const KnownUrls& urls,
                   PageNumbers& numbers) {
    std::vector<std::string> hops;
    hops.reserve(redirect.leads_to.size());
    for (const std::string& hop : redirect.leads_to)
        hops.push_back(in_script(hop));
    std::vector<std::string> statuses;
    statuses.reserve(redirect.statuses.size());
    for (const int status : redirect.statuses)
        statuses.push_back(std::to_string(status));
    const std::string ends = redirect.ends.empty() ? "" : "ends in " + redirect.ends;
    return fmt::format("[{},[{}],[{}],{},{}]", in_script(redirect.url.href()),
                       common::join(hops, ","), common::join(statuses, ","),
                       in_script(ends),
                       numbers.numbers_of(pages_with(redirect.url, urls)));
}

std::string data_of(const Summary& summary, const ReportLines& lines) {
    PageNumbers numbers;
    std::vector<std::string> rows;
    rows.reserve(lines.size());
    for (const ReportLine& line : lines)
        rows.push_back(row_of(line, summary.urls, numbers));
    std::vector<std::string> mend;
    for (const RedirectToMend& redirect : redirects_to_mend(lines, summary.urls))
        mend.push_back(row_of(redirect, summary.urls, numbers));
    std::vector<std::string> outcomes;
    for (int i = 0; i <= static_cast<int>(Outcome::unclear); ++i)
        outcomes.push_back(in_script(name_of(static_cast<Outcome>(i))));
    return fmt::format(
        "{{\"outcomes\":[{}],\n\"rows\":[{}],\n\"mend\":[{}],\n\"pages\":{}}}",
        common::join(outcomes, ","), common::join(rows, ",\n"), common::join(mend, ",\n"),
        numbers.list());
}

std::string list_item(std::string_view text) {
    return "<li>" + as_markup(text) + "</li>\n";
}

std::string list_of_orphans(const Summary& summary, const ReportLines& lines) {
    if (summary.listed == nullptr)
        return {};
    const std::vector<ListedUrl> orphans = find_orphans(summary, lines);
    std::string text =
        fmt::format("<h2>{}</h2>\n", heading_of_orphans(summary, orphans.size()));
    if (orphans.empty())
        return text;
    text += "<ul>\n";
    for (std::size_t i = 0; i < std::min(orphans.size(), most_without_script); ++i)
        text += list_item(orphans[i].url.href());
    return text + "</ul>\n";
}

std::string notes_of(const Summary& summary, const ReportLines& lines) {
    std::string text;
    if (!summary.left_out.empty())
        text += "<h2>Left out</h2>\n<ul>\n";
    for (const LeftOut& links : summary.left_out)
        text += list_item(describe(links));
    text += summary.left_out.empty() ? "" : "</ul>\n";
    if (!summary.revived.empty())
        text += "<h2>In the baseline, and alive again</h2>\n<ul>\n";
    for (const std::string& url : summary.revived)
        text += list_item(url);
    text += summary.revived.empty() ? "" : "</ul>\n";
    text += list_of_orphans(summary, lines);
    if (summary.is_unchecked && !lines.empty())
        text += "<p>Certificates were not checked (--insecure).</p>\n";
    return text;
}

std::string without_script(const ReportLines& lines, const KnownUrls& urls) {
    std::string text = "<p>With JavaScript, this page lists all URLs, and can search, "
                       "sort and copy them.</p>\n<h2>Dead</h2>\n<ul>\n";
    std::size_t left = most_without_script;
    for (const ReportLine& line : lines) {
        if (!counts_as_dead(line) || left == 0)
            continue;
        --left;
        const LinkingPages pages = pages_with(line, urls);
        text += list_item(fmt::format(
            "{} ({}){}{}", address(line), why(line), pages.urls.empty() ? "" : ", on ",
            pages.urls.empty() ? std::string_view() : pages.urls.front()));
    }
    return text + (left == 0 ? "<li>and more</li>\n</ul>" : "</ul>");
}

/// A page that needs nothing but a browser. What servers have sent is JSON in it, which
/// report.js shows as text.
class HtmlFormat final : public Format {
  public:
    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        const Counts counts = count(lines);
        const std::string heading =
            summary.root.empty() ? "Links" : "Links of " + as_markup(summary.root);
        std::string sums = fmt::format(
            "<p class=\"sums\">{}; {} fetched, {}, in {:.2f} s.</p>\n", describe(counts),
            counts.alive, common::counted(counts.redirects, "redirect"),
            summary.time.count());
        for (const Shortfall& shortfall : shortfalls_of(summary))
            if (shortfall.kind != Shortfall::Kind::left_out)
                sums += fmt::format("<p class=\"warning\">{}: {}.</p>\n",
                                    title_of(shortfall.kind), as_markup(shortfall.why));
        return filled({{"TITLE", heading},
                       {"HEADING", heading},
                       {"SUMS", sums},
                       {"NOTES", notes_of(summary, lines)},
                       {"PLAIN", without_script(lines, summary.urls)},
                       {"DATA", data_of(summary, lines)}});
    }

  private:
    static std::string
    filled(const std::vector<std::pair<std::string_view, std::string>>& parts) {
        std::string text;
        std::string_view rest = report_page();
        for (const auto& [name, part] : parts) {
            const std::string mark = fmt::format("{{{{{}}}}}", name);
            const auto at = rest.find(mark);
            text.append(rest.substr(0, at)).append(part);
            rest.remove_prefix(at + mark.size());
        }
        return text.append(rest);
    }
};

} // namespace

std::unique_ptr<Format> make_html(const ReportOptions& /*options*/) {
    return std::make_unique<HtmlFormat>();
}

} // namespace stage3
