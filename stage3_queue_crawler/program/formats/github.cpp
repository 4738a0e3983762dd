#include "common/text/counted.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

namespace stage3 {
namespace {

/// What a workflow command may contain in its message. The text is printable ASCII, so it
/// has no line ends.
std::string in_message(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += c == '%' ? "%25" : std::string(1, c);
    return out;
}

/// "on http://h/a, http://h/b and 3 more pages"
std::string where(const LinkingPages& pages) {
    if (pages.urls.empty())
        return "where the crawl began";
    return "on " + common::join(pages.urls, ", ")
           + (pages.more > 0 ? " and " + common::counted(pages.more, "more page") : "");
}

/// Of an annotation, with its kind.
std::string_view title_of(Outcome outcome) {
    switch (outcome) {
    case Outcome::unclear: return "warning title=Unclear link";
    case Outcome::redirect: return "error title=Redirect to mend";
    default: return "error title=Dead link";
    }
}

/// Annotations: an error for each dead URL, a warning for each unclear one. GitHub shows
/// ten of a kind on the run's page, and all of them in the log.
/// Source: docs.github.com, "Workflow commands for GitHub Actions".
class GithubFormat final : public Format {
  public:
    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::string text;
        for (const ReportLine& line : lines) {
            const bool is_unclear = line.outcome == Outcome::unclear;
            if (line.standing != Standing::counts || !(is_dead(line) || is_unclear))
                continue;
            const std::string message =
                fmt::format("{} ({}) {}", address(line), kind_and_why(line, summary.urls),
                            where(pages_with(line, summary.urls)));
            text +=
                fmt::format("::{}::{}\n", title_of(line.outcome), in_message(message));
        }
        for (const std::string& url : summary.revived)
            text += fmt::format("::notice title=Alive again::{} can leave the baseline\n",
                                in_message(url));
        const Counts counts = count(lines);
        text +=
            fmt::format("{} fetched, {}, {}\n", counts.alive,
                        common::counted(counts.redirects, "redirect"), describe(counts));
        for (const Shortfall& shortfall : shortfalls_of(summary)) {
            const bool is_error = shortfall.kind == Shortfall::Kind::nothing_checked;
            text += fmt::format("::{} title={}::{}\n", is_error ? "error" : "warning",
                                title_of(shortfall.kind), in_message(shortfall.why));
        }
        return text;
    }
};

} // namespace

std::unique_ptr<Format> make_github(const ReportOptions& /*options*/) {
    return std::make_unique<GithubFormat>();
}

} // namespace stage3
