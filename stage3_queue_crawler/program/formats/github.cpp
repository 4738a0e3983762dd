#include "common/text/counted.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"
#include "stage3_queue_crawler/program/formats/text_report.h"

#include <fmt/core.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {
namespace {

/// What a workflow command may contain in its message. The text has no line ends.
std::string in_message(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += c == '%' ? "%25" : std::string(1, c);
    return out;
}

/// What a property may contain.
std::string in_property(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (std::string_view("%,:").find(c) != std::string_view::npos)
            out += fmt::format("%{:02X}", static_cast<int>(c));
        else
            out += c;
    return out;
}

/// "on http://h/a, line 3; on http://h/b; and on 3 more"
std::string where(const MentionsOfUrl& mentions) {
    constexpr std::size_t most = 10;
    const std::vector<std::string> pages = describe_pages(mentions, most);
    return pages.empty() ? "where the crawl began" : common::join(pages, "; ");
}

/// ",file=docs/a.html,line=3,col=7": the first place in a file that is known.
std::string place_in_file(const MentionsOfUrl& mentions, const Sources& sources) {
    for (const Mention& mention : mentions.list) {
        const auto file = file_of(mention.page, sources);
        if (!file)
            continue;
        std::string text = ",file=" + in_property(*file);
        if (mention.place != nullptr)
            text += fmt::format(",line={}", mention.place->line());
        if (mention.place != nullptr && mention.place->column() > 0)
            text += fmt::format(",col={}", mention.place->column());
        return text;
    }
    return {};
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
/// ten of a kind for a step. If there are more, the tenth says how many, and the others
/// are plain lines of the log.
/// Source: docs.github.com, "Workflow commands for GitHub Actions".
class GithubFormat final : public Format {
  public:
    explicit GithubFormat(const ReportOptions& options) : sources_(options.sources) {}

    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::string text;
        for (const bool is_unclear : {false, true}) {
            std::vector<const ReportLine*> some;
            for (const ReportLine& line : lines)
                if (line.standing == Standing::counts
                    && (is_unclear ? line.outcome == Outcome::unclear : is_dead(line)))
                    some.push_back(&line);
            text += annotate(some, summary.urls, is_unclear);
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

  private:
    std::string annotate(const std::vector<const ReportLine*>& lines,
                         const KnownUrls& urls, bool is_unclear) const {
        constexpr std::size_t most = 10;
        const std::size_t shown = lines.size() > most ? most - 1 : lines.size();
        std::string text;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const MentionsOfUrl mentions = mentions_of(*lines[i], urls);
            const std::string message =
                fmt::format("{} ({}) {}", address(*lines[i]),
                            kind_and_why(*lines[i], urls), where(mentions));
            if (i == shown)
                text += fmt::format("::{}::{} more {}: see the log\n",
                                    is_unclear ? "warning title=More unclear links"
                                               : "error title=More dead links",
                                    lines.size() - shown,
                                    is_unclear ? "are unclear" : "are dead");
            if (i < shown)
                text +=
                    fmt::format("::{}{}::{}\n", title_of(lines[i]->outcome),
                                place_in_file(mentions, sources_), in_message(message));
            else
                text += message + '\n';
        }
        return text;
    }

    Sources sources_;
};

} // namespace

std::unique_ptr<Format> make_github(const ReportOptions& options) {
    return std::make_unique<GithubFormat>(options);
}

} // namespace stage3
