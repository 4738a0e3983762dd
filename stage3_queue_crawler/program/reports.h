// All that a run writes about its records: the results, and the reports beside them.
//
// What reports need until the end is kept here, once, however many of them there are.
#pragma once

#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/coverage.h"
#include "stage3_queue_crawler/program/formats/baseline.h"
#include "stage3_queue_crawler/program/formats/format.h"
#include "stage3_queue_crawler/program/formats/report_line.h"
#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/program/output.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace stage3 {

/// Throws common::UsageError if one of the files that `options` name can't be written.
/// Keeps what is in them.
void check_reports(const Options& options);

/// Says on the console that no baseline was written, unless `why` is empty.
void note_no_baseline(Console& console, const Options& options, const std::string& why);

/// Says on the console, even if that is quiet, that nothing was checked, unless `why` is
/// empty.
void note_nothing_checked(Console& console, const std::string& why);

class Reports {
  public:
    /// Opens the files, and takes the baseline out of `options`. `loop` must outlive it.
    /// Throws common::UsageError.
    Reports(EventLoop& loop, Options& options);

    // All of these throw as Output does.

    /// Writes the beginnings.
    void begin();
    /// Writes a record. `links`: those on its page.
    void record(const Record& record, const std::vector<common::Url>& links = {});
    /// Waits until little is left to be written.
    Coroutine<> drain();
    /// Writes what is left of the records, without an end.
    void flush();
    /// Writes the ends, and a new baseline if it's wanted, unless the crawl was cut
    /// short, checked nothing, or found its root dead. The result: why there is no
    /// baseline; empty: there is one, or none is wanted.
    std::string end(Summary summary);

    const Baseline& baseline() const { return baseline_; }
    /// How many redirects are taken for dead, which are no dead records; after the end.
    /// Those that the baseline doesn't count are among them.
    std::size_t dead_redirects() const { return dead_redirects_; }
    /// What the files say, in a line: "2 dead; 812 fetched, 20 redirects, in 1.23 s:
    /// out.txt, out.html". Empty if all went to standard output. After the end.
    std::string tell_of_files(std::chrono::duration<double> time) const;
    /// Why nothing was checked, for a crawl that is over; empty if something was.
    /// `scope`: null if it's unknown.
    std::string why_nothing_checked(const Options& options, const Scope* scope) const;

  private:
    struct Report {
        Report(EventLoop& loop, const FormatEntry* entry, const ReportOptions& how,
               const std::string& file, const char* option);

        std::unique_ptr<Format> format;
        Output output;
    };

    Coroutine<> drain_each();

    std::list<Report> reports_;
    Baseline baseline_;
    Coverage coverage_;
    ReportLines lines_;
    Counts counts_;
    std::vector<std::string> files_; // of reports
    std::string write_baseline_;
    std::size_t dead_redirects_ = 0;
    bool redirects_are_dead_;
    bool keeps_records_;
    bool has_checked_ = false; // anything
    bool checks_fragments_;
};

} // namespace stage3
