#include "stage3_queue_crawler/program/formats/formats.h"

#include <memory>
#include <string>

namespace stage3 {
namespace {

/// A line for each URL that is alive.
class UrlsFormat final : public Format {
  public:
    std::string record(const Record& record, Standing /*standing*/) override {
        const bool is_alive =
            record.outcome == Outcome::page || record.outcome == Outcome::file;
        return is_alive ? std::string(record.url.href()) + '\n' : std::string();
    }
};

} // namespace

std::unique_ptr<Format> make_urls(const ReportOptions& /*options*/) {
    return std::make_unique<UrlsFormat>();
}

} // namespace stage3
