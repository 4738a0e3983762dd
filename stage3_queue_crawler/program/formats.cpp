#include "stage3_queue_crawler/program/formats.h"

#include "stage3_queue_crawler/program/escape.h"
#include "stage3_queue_crawler/program/redirects_to_mend.h"
#include "stage3_queue_crawler/program/text_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string_view>
#include <utility>

namespace stage3 {
namespace {

/// How the page where it was first met refers to it.
std::string_view kind_of(const Record& record) {
    return record.role ? common::name_of(*record.role) : std::string_view();
}

/// A report at the end.
class TextFormat final : public Format {
  public:
    explicit TextFormat(const ReportOptions& options) : options_(options) {}

    std::string record(const Record& record) override {
        lines_.emplace_back(record);
        return {};
    }
    std::string end(const Summary& summary) override {
        return text_report(std::move(lines_), summary, options_);
    }

  private:
    ReportOptions options_;
    std::deque<ReportLine> lines_;
};

/// For each record, a line with an object. What is unknown is null. Which pages link to a
/// redirect is known only at the end, so these lines come last.
class JsonlFormat final : public Format {
  public:
    explicit JsonlFormat(bool with_redirects) : with_redirects_(with_redirects) {}

    std::string record(const Record& record) override {
        if (with_redirects_)
            lines_.emplace_back(record);
        return fmt::format(
            R"({{"url": {}, "depth": {}, "parent": {}, "outcome": "{}", "status": {}, )"
            R"("next_url": {}, "error": {}, "content_type": {}, "charset": {}, )"
            R"("bytes": {}, "links": {}, "new_links": {}, "tries": {}, "seconds": {:.6f}, )"
            R"("kind": {}, "fragment": {}}})"
            "\n",
            as_json(record.url.href()), record.depth,
            record.parent ? as_json(record.parent->href()) : "null",
            name_of(record.outcome),
            record.status != 0 ? std::to_string(record.status) : "null",
            or_null(record.next_url), or_null(record.error), or_null(record.content_type),
            or_null(record.charset), record.bytes, record.links, record.new_links,
            record.tries, record.seconds, or_null(kind_of(record)),
            or_null(record.fragment));
    }
    std::string end(const Summary& summary) override {
        std::ranges::sort(lines_, std::less());
        std::string text;
        for (const RedirectToMend& redirect : redirects_to_mend(lines_, summary.urls))
            text += to_json(redirect, summary.urls);
        return text;
    }

  private:
    static std::string or_null(std::string_view text) {
        return text.empty() ? "null" : as_json(text);
    }

    bool with_redirects_;
    std::deque<ReportLine> lines_; // where redirects end
};

/// The names of the columns, then a line for each record. What is unknown is empty.
class CsvFormat final : public Format {
  public:
    std::string begin() override {
        return "url,depth,parent,outcome,status,next_url,error,content_type,charset,"
               "bytes,links,new_links,tries,seconds,kind,fragment\r\n";
    }
    std::string record(const Record& record) override {
        return fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{},{}\r\n",
            as_csv(record.url.href()), record.depth,
            record.parent ? as_csv(record.parent->href()) : "", name_of(record.outcome),
            record.status != 0 ? std::to_string(record.status) : "",
            as_csv(record.next_url), as_csv(record.error), as_csv(record.content_type),
            as_csv(record.charset), record.bytes, record.links, record.new_links,
            record.tries, record.seconds, kind_of(record), as_csv(record.fragment));
    }
};

/// The graph of links, for Graphviz: a URL is a node, whose colour is its outcome; links
/// and redirects are arrows.
class DotFormat final : public Format {
  public:
    std::string begin() override { return "digraph crawl {\n"; }
    std::string record(const Record& record) override {
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
    std::string end(const Summary& /*summary*/) override { return "}\n"; }

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
};

} // namespace

std::unique_ptr<Format> make_format(FormatName name, const ReportOptions& options) {
    switch (name) {
    case FormatName::jsonl: return std::make_unique<JsonlFormat>(options.redirects);
    case FormatName::csv: return std::make_unique<CsvFormat>();
    case FormatName::dot: return std::make_unique<DotFormat>();
    case FormatName::none: return std::make_unique<Format>();
    case FormatName::text: break;
    }
    return std::make_unique<TextFormat>(options);
}

} // namespace stage3
