#include "stage3_queue_crawler/program/reports.h"

#include "common/system/socket.h"
#include "stage3_queue_crawler/program/write.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace stage3 {
namespace {

void check_file(const std::string& option, const std::string& path) {
    if (path.empty())
        return;
    const std::ofstream file(path, std::ios::app);
    if (!file)
        throw common::UsageError(fmt::format("{}: can't write to '{}': {}", option, path,
                                             std::generic_category().message(errno)));
}

/// Nothing waits for a file on a disk.
void write_file(const std::string& path, std::string_view text) {
    const common::Socket file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file)
        throw std::system_error(errno, std::generic_category(),
                                "can't write to '" + path + "'");
    write_all(file.fd(), text);
}

} // namespace

void check_reports(const Options& options) {
    check_file("--output", options.output);
    for (const AlsoReport& also : options.also)
        check_file(also.option, also.file);
    check_file("--write-baseline", options.write_baseline);
}

Reports::Report::Report(EventLoop& loop, const FormatEntry* entry,
                        const ReportOptions& how, const std::string& file,
                        const char* option)
    : format(entry ? entry->make(how) : std::make_unique<Format>()),
      output(open_for(option, [&] { return Output(loop, file); })) {}

Reports::Reports(EventLoop& loop, Options& options)
    : excuses_(std::move(options.excuses)), write_baseline_(options.write_baseline),
      checks_fragments_(options.crawl.checks.fragments) {
    check_file("--write-baseline", write_baseline_);
    reports_.emplace_back(loop, options.format, options.report, options.output,
                          "--output");
    for (const AlsoReport& also : options.also)
        reports_.emplace_back(loop, also.format, options.report, also.file,
                              also.option.c_str());
}

void Reports::begin() {
    for (Report& report : reports_) {
        keeps_records_ = keeps_records_ || report.format->keeps_records();
        report.output.write(report.format->begin());
    }
}

void Reports::record(const Record& record) {
    const Standing standing = excuses_.standing_of(record);
    if (keeps_records_)
        lines_.emplace_back(record, standing);
    for (Report& report : reports_)
        report.output.write(report.format->record(record));
}

void Reports::links(const common::Url& page, const std::vector<common::Url>& links) {
    for (Report& report : reports_)
        report.output.write(report.format->links(page, links));
}

Coroutine<> Reports::drain() {
    return reports_.size() == 1 ? reports_.front().output.drain() : drain_each();
}

Coroutine<> Reports::drain_each() {
    for (Report& report : reports_)
        co_await report.output.drain();
}

void Reports::flush() {
    for (Report& report : reports_)
        report.output.flush();
}

void Reports::end(Summary summary) {
    summary.revived = excuses_.revived(checks_fragments_);
    std::ranges::sort(lines_, std::less());
    for (Report& report : reports_)
        report.output.write(report.format->end(summary, lines_));
    flush();
    if (!write_baseline_.empty() && summary.cut_short.empty())
        write_file(write_baseline_, excuses_.write_baseline());
}

} // namespace stage3
