#include "exercise.h"
#include "stage3_queue_crawler/program/formats/formats.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace stage3 {
namespace {

class ByPageFormat final : public Format {
  public:
    bool keeps_records() const override { return true; }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::map<std::string_view, std::string> dead_on; // by page
        std::string more;
        for (const ReportLine& line : lines) {
            if (!counts_as_dead(line))
                continue;
            const std::string entry = fmt::format("  {} ({})\n", address(line),
                                                  kind_and_why(line, summary.urls));
            const MentionsOfUrl mentions = mentions_of(line, summary.urls);
            for (const Mention& mention : mentions.list)
                dead_on[mention.page] += entry;
            if (mentions.list.empty())
                dead_on["(no page)"] += entry;
            if (mentions.more_pages > 0)
                more +=
                    fmt::format("{} is on {} more page{}\n", address(line),
                                mentions.more_pages, mentions.more_pages == 1 ? "" : "s");
        }
        std::string text;
        for (const auto& [page, entries] : dead_on)
            text += fmt::format("{}\n{}", page, entries);
        return text + more;
    }
};

} // namespace

std::unique_ptr<Format> make_by_page(const ReportOptions& /*options*/) {
    return std::make_unique<ByPageFormat>();
}

} // namespace stage3
