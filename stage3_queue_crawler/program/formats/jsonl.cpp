#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/orphans.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {
namespace {

/// For each record, a line with an object: record.h explains most fields. "excuse" says
/// why a dead or unclear URL doesn't count: "known" (--baseline) or "ignored"
/// (--ignore-file). What is unknown is null. New fields are added at the end. Which pages
/// mention what is dead, or link to a redirect, or whether any links to what a sitemap
/// lists, is known only after the crawl, so these lines come last. If the crawl isn't
/// complete, the very last lines say why.
class JsonlFormat final : public Format {
  public:
    explicit JsonlFormat(const ReportOptions& options)
        : with_redirects_(options.redirects),
          redirects_are_dead_(options.redirects_are_dead), with_orphans_(options.sitemap),
          with_places_(options.places) {}

    bool keeps_records() const override {
        return with_redirects_ || with_orphans_ || with_places_;
    }
    std::string record(const Record& record, Standing standing) override {
        return fmt::format(
            R"({{"url": {}, "depth": {}, "parent": {}, "outcome": "{}", "status": {}, )"
            R"("next_url": {}, "error": {}, "content_type": {}, "charset": {}, )"
            R"("bytes": {}, "links": {}, "new_links": {}, "tries": {}, "seconds": {:.6f}, )"
            R"("kind": {}, "fragment": {}, "excuse": {}, "nearest_id": {}, {}}})"
            "\n",
            as_json(name_of(record.url)), record.depth,
            record.parent ? as_json(name_of(*record.parent)) : "null",
            name_of(record.outcome),
            record.status != 0 ? std::to_string(record.status) : "null",
            or_null(name_of_url(record.next_url)), or_null(record.error),
            or_null(record.content_type), or_null(record.charset), record.bytes,
            record.links, record.new_links, record.tries, record.seconds,
            or_null(kind_of(record)), or_null(record.fragment),
            or_null(name_of(standing)), or_null(record.nearest_id),
            fields_of(record.place));
    }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::string text;
        if (with_places_)
            for (const ReportLine& line : lines)
                if (is_bad(line))
                    text += list_mentions(line, summary.urls);
        if (with_redirects_)
            for (const RedirectToMend& redirect : redirects_to_mend(lines, summary.urls))
                text += to_json(redirect, summary.urls, redirects_are_dead_);
        if (with_orphans_)
            for (const ListedUrl& one : find_orphans(summary, lines))
                text +=
                    fmt::format(R"({{"orphan": {}, "sitemap": {}}})"
                                "\n",
                                as_json(name_of(one.url)), as_json(name_of(one.sitemap)));
        for (const Shortfall& shortfall : shortfalls_of(summary))
            text += fmt::format(R"({{"incomplete": "{}", "why": {}}})"
                                "\n",
                                name_of(shortfall.kind), as_json(shortfall.why));
        return text;
    }

  private:
    /// Null if it's unknown.
    static std::string fields_of(const common::LinkPlace& place) {
        if (!place.is_known())
            return R"("line": null, "column": null, "text": null, "href": null)";
        return fmt::format(R"("line": {}, "column": {}, "text": {}, "href": {})",
                           place.line(),
                           place.column() > 0 ? std::to_string(place.column()) : "null",
                           as_json(place.text()), as_json(place.href()));
    }
    static std::string list_mentions(const ReportLine& line, const KnownUrls& urls) {
        const MentionsOfUrl mentions = mentions_of(line, urls);
        std::vector<std::string> list;
        for (const Mention& one : mentions.list) {
            std::vector<std::string> through;
            through.reserve(one.through.size());
            for (const std::string_view redirect : one.through)
                through.push_back(as_json(redirect));
            list.push_back(fmt::format(
                R"({{"page": {}, "through": [{}], "kind": {}, {}}})", as_json(one.page),
                common::join(through, ", "),
                one.place == nullptr ? "null"
                                     : as_json(common::name_of(one.place->role())),
                fields_of(one.place == nullptr ? common::LinkPlace() : *one.place)));
        }
        return fmt::format(
            R"({{"mentions_of": {}, "fragment": {}, "mentions": [{}], "more_pages": {}}})"
            "\n",
            as_json(name_of(line.url)),
            line.is_fragment() ? as_json(line.more->fragment) : "null",
            common::join(list, ", "), mentions.more_pages);
    }
    static std::string or_null(std::string_view text) {
        return text.empty() ? "null" : as_json(text);
    }

    bool with_redirects_;
    bool redirects_are_dead_;
    bool with_orphans_;
    bool with_places_;
};

} // namespace

std::unique_ptr<Format> make_jsonl(const ReportOptions& options) {
    return std::make_unique<JsonlFormat>(options);
}

} // namespace stage3
