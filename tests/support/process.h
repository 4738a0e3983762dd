// Runs a program, as a user would, and keeps what it printed.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tests {

/// How a program ended, and what it said.
struct Finished {
    int status = -1; ///< its exit status; -1 if a signal ended it
    int signal = 0;  ///< the signal that ended it; 0 if none did
    std::string out; ///< standard output
    std::string err; ///< standard error
};

struct RunOptions {
    /// RLIMIT_NOFILE for the program: what `ulimit -n` sets.
    std::optional<std::size_t> descriptors = {};
    /// A program that runs longer is killed.
    std::chrono::seconds time_limit{60};
    /// Where standard output goes, instead of into Finished::out.
    std::string out_file = {};
    /// Nobody reads standard output: a program that writes a lot is stopped by that.
    bool leave_output_unread = false;
    /// Called in a thread of its own, while the program runs, with its process id.
    std::function<void(pid_t)> meanwhile = {};
};

/// True as long as this child of ours has not ended.
bool is_running(pid_t child);

/// Runs `command` (the program's path, then its arguments; no shell is involved) with an
/// empty standard input, and waits for its end.
/// Throws std::system_error if it can't be started.
Finished run(const std::vector<std::string>& command, const RunOptions& options = {});

/// The path of what the build has made: an environment variable holds it, where there is
/// a test for it. Throws std::runtime_error if there is no such variable.
std::string path_in(const char* variable);

/// The same with the program whose path is in an environment variable.
Finished run_program(const char* variable, std::vector<std::string> arguments,
                     const RunOptions& options = {});

/// The last line of a text that isn't empty, without its end.
std::string last_line(const std::string& text);

} // namespace tests
