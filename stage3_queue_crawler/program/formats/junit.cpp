#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"
#include "stage3_queue_crawler/program/formats/text_report.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace stage3 {
namespace {

/// What is inside a test case.
std::string verdict(const ReportLine& line, const KnownUrls& urls) {
    const bool is_bad = is_dead(line);
    if (!is_bad && line.outcome != Outcome::unclear)
        return {};
    if (!counts_as_dead(line))
        return fmt::format(R"(<skipped message="{}: {}"/>)",
                           line.standing == Standing::counts ? "unclear"
                                                             : name_of(line.standing),
                           as_markup(kind_and_why(line, urls)));
    constexpr std::size_t most = 1000; // pages of a URL
    std::string text =
        fmt::format(R"(<failure type="{}" message="{}">)", name_of(line.outcome),
                    as_markup(kind_and_why(line, urls)));
    for (const std::string& page : describe_pages(mentions_of(line, urls), most))
        text += as_markup(page) + '\n';
    return text + "</failure>";
}

/// JUnit's XML, as CI servers read it. Each URL is a test, also if it's alive: so the
/// numbers mean something, a URL has a history under its name, and a site without dead
/// links isn't one without tests, which some servers take for a fault. The class is the
/// URL's host.
/// A crawl that isn't complete has further tests: one fails if nothing was checked, is an
/// error if the crawl was cut short, and is skipped if links were left out.
class JunitFormat final : public Format {
  public:
    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        const Counts counts = count(lines);
        std::string tests;
        std::size_t number = 0;
        for (const ReportLine& line : lines) {
            if (line.outcome == Outcome::disallowed)
                continue;
            const std::string inside = verdict(line, summary.urls);
            tests +=
                fmt::format(R"(    <testcase classname="{}" name="{}")",
                            line.url.is_malformed() ? "not a URL"
                                                    : as_markup(name_of_server(line.url)),
                            as_markup(address(line)))
                + (inside.empty() ? "/>\n" : ">" + inside + "</testcase>\n");
            ++number;
        }
        std::array<std::size_t, 3> short_of{}; // failures, errors, skipped
        for (const Shortfall& shortfall : shortfalls_of(summary)) {
            tests += test_of(shortfall);
            ++short_of.at(static_cast<std::size_t>(shortfall.kind));
            ++number;
        }
        const std::string sums =
            fmt::format(R"(tests="{}" failures="{}" errors="{}" time="{:.3f}")", number,
                        counts.dead + counts.fragments + short_of[0], short_of[1],
                        summary.time.count());
        return fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n"
            "  <testsuite name=\"links of {1}\" {0} skipped=\"{2}\">\n{3}"
            "  </testsuite>\n</testsuites>\n",
            sums, summary.root.empty() ? "a site" : as_markup(summary.root),
            counts.known + counts.ignored + counts.unclear + short_of[2], tests);
    }

  private:
    static std::string test_of(const Shortfall& shortfall) {
        constexpr std::array elements{"failure", "error", "skipped"};
        const auto kind = static_cast<std::size_t>(shortfall.kind);
        return fmt::format("    <testcase classname=\"stage3\" name=\"{}\">"
                           "<{} message=\"{}\"/></testcase>\n",
                           shortfall.kind == Shortfall::Kind::left_out
                               ? as_markup("left out: " + shortfall.why)
                               : std::string(name_of(shortfall.kind)),
                           elements.at(kind), as_markup(shortfall.why));
    }
};

} // namespace

std::unique_ptr<Format> make_junit(const ReportOptions& /*options*/) {
    return std::make_unique<JunitFormat>();
}

} // namespace stage3
