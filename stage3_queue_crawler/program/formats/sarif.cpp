#include "common/text/join.h"
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

std::string location(std::string_view url) {
    return fmt::format(R"({{"physicalLocation": {{"artifactLocation": {{"uri": {}}}}}}})",
                       as_json(url));
}

std::string_view rule_for(Outcome outcome) {
    switch (outcome) {
    case Outcome::unclear: return "unclear-link";
    case Outcome::redirect: return "redirect-to-mend";
    default: return "dead-link";
    }
}

/// The Static Analysis Results Interchange Format: a result for each URL that is dead or
/// unclear, with the pages that link to it as its locations.
/// Source: SARIF 2.1.0, docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
class SarifFormat final : public Format {
  public:
    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::vector<std::string> results;
        for (const ReportLine& line : lines)
            if (is_dead(line) || line.outcome == Outcome::unclear)
                results.push_back(result(line, summary.urls));
        return fmt::format(
            R"({{"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
"version": "2.1.0",
"runs": [{{"tool": {{"driver": {{"name": "stage3", "rules": [
  {{"id": "dead-link", "shortDescription": {{"text": "A link leads nowhere"}}}},
  {{"id": "redirect-to-mend", "shortDescription": {{"text": "A link leads to a redirect"}}}},
  {{"id": "unclear-link", "shortDescription": {{"text": "A server won't say"}}}}]}}}},
"invocations": [{{"executionSuccessful": {}, "toolExecutionNotifications": [{}]}}],
"results": [
{}]}}]}}
)",
            summary.cut_short.empty() && summary.nothing_checked.empty(),
            common::join(notifications(summary), ", "), common::join(results, ",\n"));
    }

  private:
    static std::vector<std::string> notifications(const Summary& summary) {
        std::vector<std::string> all;
        for (const Shortfall& shortfall : shortfalls_of(summary)) {
            const bool is_warning = shortfall.kind == Shortfall::Kind::left_out;
            all.push_back(fmt::format(
                R"({{"level": "{}", "message": {{"text": {}}}}})",
                is_warning ? "warning" : "error",
                as_json(fmt::format("{}: {}", title_of(shortfall.kind), shortfall.why))));
        }
        return all;
    }
    static std::string result(const ReportLine& line, const KnownUrls& urls) {
        std::vector<std::string> locations;
        for (const std::string_view page : pages_with(line, urls).urls)
            locations.push_back(location(page));
        if (locations.empty())
            locations.push_back(location(line.url.href()));
        return fmt::format(
            R"({{"ruleId": "{}", "level": "{}", "message": {{"text": {}}}, )"
            R"("partialFingerprints": {{"url/v1": {}}}, "baselineState": "{}", )"
            R"({}"locations": [{}]}})",
            rule_for(line.outcome), is_dead(line) ? "error" : "warning",
            as_json(fmt::format("{} ({})", address(line), kind_and_why(line, urls))),
            as_json(address(line)),
            line.standing == Standing::known ? "unchanged" : "new",
            line.standing == Standing::ignored
                ? R"("suppressions": [{"kind": "external"}], )"
                : "",
            common::join(locations, ", "));
    }
};

} // namespace

std::unique_ptr<Format> make_sarif(const ReportOptions& /*options*/) {
    return std::make_unique<SarifFormat>();
}

} // namespace stage3
