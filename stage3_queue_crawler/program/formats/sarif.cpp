#include "common/text/byte_set.h"
#include "common/text/join.h"
#include "common/web/percent_encoding.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
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

// What GitHub takes, and of that, what it shows.
// Source: docs.github.com, "SARIF support for code scanning".
constexpr std::size_t most_results = 5000;
constexpr std::size_t most_locations = 100;

/// Where something can be mended: a file, if the user has said which one the page is; or
/// else the site, which stands for all its pages.
std::string location(const std::string& file, std::string_view page,
                     const common::LinkPlace* place) {
    std::string region;
    if (place != nullptr) {
        region = fmt::format(R"(, "region": {{"startLine": {})", place->line());
        if (place->column() > 0)
            region += fmt::format(R"(, "startColumn": {})", place->column());
        region += '}';
    }
    return fmt::format(
        R"({{"physicalLocation": {{"artifactLocation": {{"uri": {}}}{}}}, )"
        R"("logicalLocations": [{{"fullyQualifiedName": {}, "kind": "resource"}}]}})",
        as_json(file), region, as_json(page));
}

/// A file's name as a part of a URL.
std::string as_uri(std::string_view file) {
    constexpr common::ByteSet not_in_path =
        common::percent_encode_set(" \"#%<>?:[]^`{|}\\");
    std::string uri;
    common::append_encoded(uri, file, not_in_path);
    return uri;
}

/// A relative one that isn't any file's: services reject URLs of pages here.
std::string uri_of_site(const std::string& root) {
    const auto url = common::parse_url(root);
    return url ? as_uri(url->host()) : "site";
}

std::string_view rule_for(Outcome outcome) {
    switch (outcome) {
    case Outcome::unclear: return "unclear-link";
    case Outcome::redirect: return "redirect-to-mend";
    default: return "dead-link";
    }
}

/// The Static Analysis Results Interchange Format: a result for each URL that is dead or
/// unclear, with the places that have to be mended as its locations. GitHub accepts only
/// files of the repository, and so many.
/// Source: SARIF 2.1.0, docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
class SarifFormat final : public Format {
  public:
    explicit SarifFormat(const ReportOptions& options) : sources_(options.sources) {}

    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::vector<std::string> results;
        std::size_t left_out = 0;
        const std::string site = uri_of_site(summary.root);
        for (const bool counts : {true, false}) // these first
            for (const ReportLine& line : lines) {
                if (!is_bad(line) || (line.standing == Standing::counts) != counts)
                    continue;
                if (results.size() < most_results)
                    results.push_back(result(line, summary.urls, site));
                else
                    ++left_out;
            }
        return fmt::format(
            R"({{"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
"version": "2.1.0",
"runs": [{{"tool": {{"driver": {{"name": "stage3", "rules": [
  {{"id": "dead-link", "shortDescription": {{"text": "A link leads nowhere"}}}},
  {{"id": "redirect-to-mend", "shortDescription": {{"text": "A link leads to a redirect"}}}},
  {{"id": "unclear-link", "shortDescription": {{"text": "A server won't say"}}}}]}}}},
"columnKind": "unicodeCodePoints",
"invocations": [{{"executionSuccessful": {}, "toolExecutionNotifications": [{}]}}],
"results": [
{}]}}]}}
)",
            summary.cut_short.empty() && summary.nothing_checked.empty(),
            common::join(notifications(summary, left_out), ", "),
            common::join(results, ",\n"));
    }

  private:
    static std::vector<std::string> notifications(const Summary& summary,
                                                  std::size_t left_out) {
        std::vector<std::string> all;
        if (left_out > 0)
            all.push_back(
                fmt::format(R"({{"level": "warning", "message": {{"text": "and {} more; )"
                            R"(at most {} are listed"}}}})",
                            left_out, most_results));
        for (const Shortfall& shortfall : shortfalls_of(summary)) {
            const bool is_warning = shortfall.kind == Shortfall::Kind::left_out;
            all.push_back(fmt::format(
                R"({{"level": "{}", "message": {{"text": {}}}}})",
                is_warning ? "warning" : "error",
                as_json(fmt::format("{}: {}", title_of(shortfall.kind), shortfall.why))));
        }
        return all;
    }
    std::string result(const ReportLine& line, const KnownUrls& urls,
                       const std::string& site) const {
        const MentionsOfUrl mentions = mentions_of(line, urls);
        std::vector<std::string> locations;
        bool has_file = false;
        for (const Mention& mention : mentions.list) {
            if (locations.size() == most_locations)
                break;
            const auto file = file_of(mention.page, sources_);
            if (!file)
                continue;
            has_file = true;
            locations.push_back(location(as_uri(*file), mention.page, mention.place));
        }
        if (!has_file) // one place for all of them, with the pages' names in the message
            locations.push_back(location(site, name_of(line.url), nullptr));
        const std::vector<std::string> pages = describe_pages(mentions, most_pages);
        const std::string where =
            pages.empty() ? "where the crawl began" : common::join(pages, "; ");
        return fmt::format(
            R"({{"ruleId": "{}", "level": "{}", "message": {{"text": {}}}, )"
            R"("partialFingerprints": {{"url/v1": {}}}, "baselineState": "{}", )"
            R"({}"locations": [{}]}})",
            rule_for(line.outcome), is_dead(line) ? "error" : "warning",
            as_json(fmt::format("{} ({}) {}", address(line), kind_and_why(line, urls),
                                where)),
            as_json(address(line)),
            line.standing == Standing::known ? "unchanged" : "new",
            line.standing == Standing::ignored
                ? R"("suppressions": [{"kind": "external"}], )"
                : "",
            common::join(locations, ", "));
    }

    static constexpr std::size_t most_pages = 10; // in a message

    Sources sources_;
};

} // namespace

std::unique_ptr<Format> make_sarif(const ReportOptions& options) {
    return std::make_unique<SarifFormat>(options);
}

} // namespace stage3
