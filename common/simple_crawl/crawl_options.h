// The command line of stages 1 and 2, which is the same.
#pragma once

#include "common/command_line/usage_error.h"
#include "common/simple_crawl/crawl.h"
#include "common/trace/trace.h"
#include "common/web/url.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace common {

struct CrawlOptions {
    /// Where to start, an http URL. Nothing if the user asked for help.
    std::optional<Url> root;
    std::string help;             ///< what to print then
    std::string selector;         ///< a name that make_selector knows, or nothing
    std::string trace;            ///< the file to write the run's events to, or nothing
    std::size_t fail_parsing = 0; ///< see Settings
};

/// Reads the arguments of `main`. `program` and `description` are for the help. Throws
/// UsageError.
CrawlOptions read_crawl_options(int argc, char** argv, const std::string& program,
                                const std::string& description);

/// The tracer that the options ask for, or one that is off. `program` is named in its
/// first line. Throws UsageError if its file can't be written.
Tracer open_trace(const CrawlOptions& options, std::string_view program);

/// Ends the trace, and reports it if it is incomplete.
void close_trace(Tracer& tracer, const std::function<void(const std::string&)>& on_note);

/// A crawl's last line, for a person.
std::string describe(const Summary& summary);

} // namespace common
