#include "stage3_queue_crawler/program/reports.h"

#include "common/system/socket.h"
#include "common/text/join.h"
#include "stage3_queue_crawler/program/formats/problem_report.h"
#include "stage3_queue_crawler/program/formats/redirects_to_mend.h"
#include "stage3_queue_crawler/program/write.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace stage3 {
namespace {

void check_file(const std::string& option, const std::string& path) {
    std::error_code error;
    const bool is_new = !std::filesystem::exists(path, error);
    if (path.empty() || (!is_new && std::filesystem::is_fifo(path, error)))
        return; // to open and close a pipe would be its end for a reader
    std::ofstream file(path, std::ios::app);
    if (!file)
        throw common::UsageError(fmt::format("{}: can't write to '{}': {}", option, path,
                                             std::generic_category().message(errno)));
    file.close();
    if (is_new)
        std::filesystem::remove(path, error);
}

/// Those that are typed, and in no list.
std::set<common::Url> searched_roots(const Options& options) {
    const auto listed = options.roots.begin() + options.typed_roots;
    std::set<common::Url> roots(options.roots.begin(), listed);
    std::for_each(listed, options.roots.end(),
                  [&roots](const common::Url& root) { roots.erase(root); });
    return roots;
}

/// Nothing waits for a file on a disk.
void write_file(const std::string& path, std::string_view text) {
    common::Socket file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file)
        throw std::system_error(errno, std::generic_category(),
                                "can't write to '" + path + "'");
    write_all(WriteEnd(std::move(file)), text);
}

} // namespace

void check_reports(const Options& options) {
    check_file("--output", options.output);
    for (const AlsoReport& also : options.also)
        check_file(also.option, also.file);
    check_file("--write-baseline", options.write_baseline);
}

void note_no_baseline(Console& console, const Options& options, const std::string& why) {
    if (!why.empty())
        console.note(fmt::format("stage3: --write-baseline: '{}' is as it was, since {}",
                                 options.write_baseline, why));
}

void note_nothing_checked(Console& console, const std::string& why) {
    if (!why.empty())
        console.answer("stage3: nothing was checked: " + why);
}

Reports::Report::Report(EventLoop& loop, const FormatEntry* entry,
                        const ReportOptions& how, const std::string& file,
                        const char* option)
    : format(entry ? entry->make(how) : std::make_unique<Format>()),
      output(open_for(option, [&] { return Output(loop, file); })) {}

Reports::Reports(EventLoop& loop, Options& options)
    : baseline_(std::move(options.baseline)),
      coverage_(static_cast<std::size_t>(options.typed_roots)),
      write_baseline_(options.write_baseline),
      redirects_are_dead_(options.report.redirects_are_dead),
      keeps_records_(redirects_are_dead_),
      checks_fragments_(options.crawl.checks.fragments) {
    check_reports(options); // before any of them is made empty
    reports_.emplace_back(loop, options.format, options.on_terminal, options.output,
                          "--output");
    if (!options.output.empty())
        files_.push_back(options.output);
    for (const AlsoReport& also : options.also) {
        reports_.emplace_back(loop, also.format, options.report, also.file,
                              also.option.c_str());
        files_.push_back(also.file);
    }
}

void Reports::begin() {
    for (Report& report : reports_) {
        keeps_records_ = keeps_records_ || report.format->keeps_records();
        report.output.write(report.format->begin());
    }
}

void Reports::record(const Record& record, const std::vector<common::Url>& links) {
    const Standing standing = baseline_.standing_of(record);
    has_checked_ = has_checked_ || coverage_.has_checked_with(record);
    counts_.add(record.outcome, standing, !record.fragment.empty());
    if (keeps_records_)
        lines_.emplace_back(record, standing);
    for (Report& report : reports_) {
        if (record.outcome == Outcome::page)
            report.output.write(report.format->links(record.url, links));
        report.output.write(report.format->record(record, standing));
    }
}

std::string Reports::why_nothing_checked(const Options& options,
                                         const Scope* scope) const {
    return coverage_.why_nothing(
        {.all = options.roots, .searched = searched_roots(options)}, scope);
}

std::string Reports::tell_of_files(std::chrono::duration<double> time) const {
    return files_.empty()
               ? ""
               : fmt::format("{}: {}", sum_up(counts_, time), common::join(files_, ", "));
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

std::string Reports::end(Summary summary) {
    const bool is_whole = summary.cut_short.empty();
    std::ranges::sort(lines_, std::less());
    if (redirects_are_dead_)
        dead_redirects_ = take_for_dead(lines_, summary.urls, baseline_);
    if (redirects_are_dead_)
        counts_ = count(lines_);
    summary.revived = baseline_.revived(checks_fragments_ && is_whole);
    std::exception_ptr failure; // of one report: the others are written all the same
    const auto attempt = [&failure](const auto& write) {
        try {
            write();
        } catch (const std::system_error&) {
            if (!failure)
                failure = std::current_exception();
        }
    };
    for (Report& report : reports_)
        attempt([&] {
            report.output.write(report.format->end(summary, lines_));
            report.output.flush();
        });
    std::string why_not = is_whole ? "" : "the crawl was cut short";
    if (!summary.nothing_checked.empty())
        why_not = "nothing was checked";
    if (baseline_.is_root_dead())
        why_not = "its root is dead";
    if (!write_baseline_.empty() && why_not.empty())
        attempt([this] { write_file(write_baseline_, baseline_.write()); });
    if (failure)
        std::rethrow_exception(failure);
    return write_baseline_.empty() ? "" : why_not;
}

} // namespace stage3
