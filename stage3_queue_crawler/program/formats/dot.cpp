#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {
namespace {

/// The graph of links, for Graphviz: a URL is a node, whose colour is its outcome; links
/// and redirects are arrows.
class DotFormat final : public Format {
  public:
    explicit DotFormat(const ReportOptions& options)
        : with_redirects_(options.redirects_are_dead) {}

    bool keeps_records() const override { return with_redirects_; }
    std::string begin() override { return "digraph crawl {\n"; }
    std::string record(const Record& record, Standing /*standing*/) override {
        if (!record.fragment.empty())
            return {}; // the URL has a node
        const std::string url = as_dot(record.url.href());
        std::string lines =
            fmt::format("  {} [color={}];\n", url, colour_of(record.outcome));
        if (!record.next_url.empty())
            lines +=
                fmt::format("  {} -> {} [style=dashed];\n", url, as_dot(record.next_url));
        return lines;
    }
    std::string links(const common::Url& page,
                      const std::vector<common::Url>& links) override {
        std::string lines;
        for (const common::Url& link : links)
            lines +=
                fmt::format("  {} -> {};\n", as_dot(page.href()), as_dot(link.href()));
        return lines;
    }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::string text;
        for (const ReportLine& line : lines)
            if (line.outcome == Outcome::redirect && is_dead(line)) // it was blue
                text += fmt::format("  {} [color={}];\n", as_dot(line.url.href()),
                                    colour_of(Outcome::error));
        for (const Shortfall& shortfall : shortfalls_of(summary))
            text += fmt::format("  // {}: {}\n", name_of(shortfall.kind), shortfall.why);
        return text + "}\n";
    }

  private:
    static std::string_view colour_of(Outcome outcome) {
        switch (outcome) {
        case Outcome::page: return "black";
        case Outcome::file: return "gray40";
        case Outcome::redirect: return "blue";
        case Outcome::disallowed: return "gray80";
        case Outcome::unclear: return "orange";
        case Outcome::error:
        case Outcome::failed: break;
        }
        return "red";
    }

    bool with_redirects_;
};

} // namespace

std::unique_ptr<Format> make_dot(const ReportOptions& options) {
    return std::make_unique<DotFormat>(options);
}

} // namespace stage3
