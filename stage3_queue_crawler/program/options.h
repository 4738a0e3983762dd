// The command line of stage 3: what its user can choose, and in options.cpp the table of
// all options, each with its help and the setting that it writes to. No page covers it.
#pragma once

#include "common/command_line/usage_error.h"
#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/program/formats/baseline.h"
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/remaps.h"
#include "stage3_queue_crawler/redis/redis_url.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

namespace stage3 {

/// Options for a crawl in which other processes take part.
struct SharedOptions {
    std::vector<RedisUrl> servers; ///< none: no other process takes part
    std::string name;
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds wait{30'000}; ///< at the start, for Redis
    bool report_only = false;
    bool forget = false;         ///< remove the crawl, and nothing else
    bool retry_given_up = false; ///< and then take part
};

/// A report that is written beside the results.
struct AlsoReport {
    const FormatEntry* format;
    std::string file;
    std::string option; ///< that asks for it
};

struct Options {
    std::string
        help; ///< what to print, if the user asked for help; nothing else counts then
    std::vector<common::Url> roots;
    std::ptrdiff_t typed_roots = 0; ///< the first ones; the others come from lists
    Reach reach = Reach::host;
    std::vector<Pattern> excluded;
    std::vector<Pattern> included;
    std::vector<std::string> patterns; ///< the texts of both, as typed: "--exclude x"
    CrawlSettings crawl;
    CrawlHelpers helpers;
    std::vector<Remap> remaps; ///< what is served elsewhere
    SharedOptions shared;
    std::size_t parse_threads = 0; ///< of the loop's executor; 0: it needs none
    std::string selector;          ///< a name that make_selector knows, or nothing
    const FormatEntry* format = &all_formats.front(); ///< nullptr: no results
    std::string output; ///< a file; nothing: standard output
    std::vector<AlsoReport> also;
    ReportOptions report;
    ReportOptions on_terminal; ///< the same, as it suits standard output
    Baseline baseline;
    std::string state;               ///< a file that outlives the crawl, or nothing
    std::chrono::seconds max_age{0}; ///< of answers in it that are taken as they are
    std::string write_baseline;      ///< a file, or nothing
    std::string found_config;        ///< the file that was read though no option names it
    std::size_t fail_parsing = 0;    ///< the page that can't be parsed; 0: none
    std::string trace;               ///< a file for the run's events, or nothing
    bool show_progress = false;
    bool verbose = false;
    bool quiet = false;
    bool why_slow = false; ///< at the end, say what limited the crawl
    bool strict = false;   ///< what is unclear counts as dead, for the exit status
};

/// Reads the arguments of `main`, and the file of options, if there is one. Throws
/// common::UsageError: one line that says what is allowed.
Options read_options(int argc, char** argv);

/// Opens what an option names. Throws common::UsageError if that can't be done.
template <class Open>
auto open_for(const char* option, Open open) {
    try {
        return open();
    } catch (const std::system_error& error) {
        throw common::UsageError(std::string(option) + ": " + error.what());
    }
}

} // namespace stage3
