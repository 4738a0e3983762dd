// Runs a program as a user would, and keeps what it prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace tests {

/// How a program ended, and what it printed.
struct Finished {
    int status = -1; ///< its exit status; -1 if a signal ended it
    int signal = 0;  ///< the signal that ended it; 0 if none did
    std::string out; ///< standard output
    std::string err; ///< standard error
};

struct RunOptions {
    /// RLIMIT_NOFILE for the program: what `ulimit -n` sets.
    std::optional<std::size_t> descriptors = {};
    /// A program that runs longer is killed. Only one that hangs does, on any machine.
    std::chrono::seconds time_limit{600};
    /// Where standard output goes, instead of into Finished::out.
    std::string out_file = {};
    /// Standard output is never read, which stops a program that writes a lot.
    bool leave_output_unread = false;
    /// Called with the process id in a separate thread while the program runs.
    std::function<void(pid_t)> meanwhile = {};
};

/// True until this child process ends.
bool is_running(pid_t child);

/// Runs `command` (the program's path, then its arguments; no shell is involved) with an
/// empty standard input, and waits for its end.
/// Throws std::system_error if it can't be started.
Finished run(const std::vector<std::string>& command, const RunOptions& options = {});

/// The path of something that was built, from an environment variable that is set for its
/// test. Throws std::runtime_error if there is no such variable.
std::string path_in(const char* variable);

/// The same with the program whose path is in an environment variable.
Finished run_program(const char* variable, std::vector<std::string> arguments,
                     const RunOptions& options = {});

/// The last line of a text that isn't empty, without its line break.
std::string last_line(const std::string& text);

} // namespace tests
