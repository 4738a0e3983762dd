#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/report_data.h"
#include "stage3_queue_crawler/program/formats/report_page.h"
#include "stage3_queue_crawler/program/formats/report_text.h"
#include "stage3_queue_crawler/program/formats/why_slow.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

/// A page that needs nothing but a browser.
class HtmlFormat final : public Format {
  public:
    explicit HtmlFormat(ReportOptions options) : options_(std::move(options)) {}

    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        const std::string heading =
            summary.root.empty() ? "Links" : "Links of " + as_markup(summary.root);
        return filled(
            {{"TITLE", heading},
             {"HEADING", heading},
             {"SUMS", html_sums(summary, lines, options_)},
             {"PLAIN", html_tables(summary, lines)},
             {"NOTES",
              html_notes(summary, lines)
                  + (summary.times != nullptr ? html_why_slow(*summary.times) : "")},
             {"DATA", report_data(summary, lines, options_)}});
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

    const ReportOptions options_;
};

} // namespace

std::unique_ptr<Format> make_html(const ReportOptions& options) {
    return std::make_unique<HtmlFormat>(options);
}

} // namespace stage3
