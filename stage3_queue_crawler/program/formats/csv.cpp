#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/shortfalls.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

namespace stage3 {
namespace {

/// The names of the columns, then a line for each record, with jsonl.cpp's fields. What
/// is unknown is empty. After these come the redirects to mend, if they count as dead. If
/// the crawl isn't complete, the last lines say why.
class CsvFormat final : public Format {
  public:
    explicit CsvFormat(const ReportOptions& options)
        : with_redirects_(options.redirects_are_dead) {}

    bool keeps_records() const override { return with_redirects_; }
    std::string begin() override {
        return "url,depth,parent,outcome,status,next_url,error,content_type,charset,"
               "bytes,links,new_links,tries,seconds,kind,fragment,excuse,nearest_id,"
               "line,column,text,href\r\n";
    }
    std::string record(const Record& record, Standing standing) override {
        return fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{},{},{},{},{}\r\n",
            as_csv(name_of(record.url)), record.depth,
            record.parent ? as_csv(name_of(*record.parent)) : "", name_of(record.outcome),
            record.status != 0 ? std::to_string(record.status) : "",
            as_csv(name_of_url(record.next_url)), as_csv(record.error),
            as_csv(record.content_type), as_csv(record.charset), record.bytes,
            record.links, record.new_links, record.tries, record.seconds, kind_of(record),
            as_readable_csv(record.fragment), name_of(standing),
            as_readable_csv(record.nearest_id), cells_of(record.place));
    }
    std::string end(const Summary& summary, const ReportLines& lines) override {
        std::string text;
        for (const ReportLine& line : lines)
            if (line.outcome == Outcome::redirect && is_dead(line))
                text += fmt::format(
                    "{},,,redirect to mend,{},{},{},,,,,,,,{},,{},,,,,\r\n",
                    as_csv(name_of(line.url)), line.status,
                    as_csv(name_of_url(line.more->next_url)), as_csv(line.more->error),
                    kind_of(line, summary.urls), name_of(line.standing));
        for (const Shortfall& shortfall : shortfalls_of(summary))
            text += fmt::format(
                "{},,,incomplete,,,{},,,,,,,,,,,,,,,\r\n", as_csv(summary.root),
                as_csv(fmt::format("{}: {}", name_of(shortfall.kind), shortfall.why)));
        return text;
    }

  private:
    static std::string cells_of(const common::LinkPlace& place) {
        if (!place.is_known())
            return ",,,";
        return fmt::format("{},{},{},{}", place.line(),
                           place.column() > 0 ? std::to_string(place.column()) : "",
                           as_readable_csv(place.text()), as_readable_csv(place.href()));
    }

    bool with_redirects_;
};

} // namespace

std::unique_ptr<Format> make_csv(const ReportOptions& options) {
    return std::make_unique<CsvFormat>(options);
}

} // namespace stage3
