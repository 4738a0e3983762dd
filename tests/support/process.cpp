#include "tests/support/process.h"

#include "common/system/socket.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tests {
namespace {

using common::Socket; // owns any descriptor

struct Pipe {
    Socket read_end;
    Socket write_end;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) < 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    Pipe result{Socket(ends[0]), Socket(ends[1])};
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return result;
}

/// The child's part, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, int out, int err,
                         const RunOptions& options) {
    const int input = ::open("/dev/null", O_RDONLY);
    ::dup2(input, STDIN_FILENO);
    ::dup2(options.out_file.empty()
               ? out
               : ::open(options.out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666),
           STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    // A test run by nohup, or in the background of a script, ignores these signals, and
    // its children would, too.
    for (const int number : {SIGHUP, SIGINT, SIGQUIT})
        ::signal(number, SIG_DFL);
    if (options.descriptors) {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = *options.descriptors;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ::execv(arguments[0], arguments);
    ::_exit(127); // the shell's status for "no such program"
}

/// Reads both pipes until both are closed; false if that takes longer than `limit`.
bool collect(Pipe& out, Pipe& err, Finished& result, const RunOptions& options) {
    const auto end = std::chrono::steady_clock::now() + options.time_limit;
    std::array<pollfd, 2> list{
        pollfd{options.leave_output_unread ? -1 : out.read_end.fd(), POLLIN, 0},
        pollfd{err.read_end.fd(), POLLIN, 0}};
    std::array<std::string*, 2> texts{&result.out, &result.err};
    while (list[0].fd >= 0 || list[1].fd >= 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        if (::poll(list.data(), list.size(), static_cast<int>(left.count())) < 0)
            continue; // interrupted
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (list[i].fd < 0 || list[i].revents == 0)
                continue;
            std::array<char, 4096> chunk{};
            const ssize_t count = ::read(list[i].fd, chunk.data(), chunk.size());
            if (count <= 0)
                list[i].fd = -1; // poll passes over negative ones
            else
                texts[i]->append(chunk.data(), static_cast<std::size_t>(count));
        }
    }
    return true;
}

} // namespace

bool is_running(pid_t child) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT)
               == 0
           && info.si_pid == 0;
}

Finished run(const std::vector<std::string>& command, const RunOptions& options) {
    std::vector<std::string> words = command; // exec wants them writable
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);

    Pipe out = make_pipe();
    Pipe err = make_pipe();
    const pid_t child = ::fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0)
        become(arguments.data(), out.write_end.fd(), err.write_end.fd(), options);
    out.write_end.close();
    err.write_end.close();

    Finished result;
    std::thread meanwhile;
    if (options.meanwhile)
        meanwhile = std::thread(options.meanwhile, child);
    if (!collect(out, err, result, options))
        ::kill(child, SIGKILL);
    if (meanwhile.joinable())
        meanwhile.join(); // the process id stays the child's until it is waited for
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status))
        result.status = WEXITSTATUS(status);
    else
        result.signal = WTERMSIG(status);
    return result;
}

std::string path_in(const char* variable) {
    const char* const path = std::getenv(variable);
    if (path == nullptr)
        throw std::runtime_error(std::string("set ") + variable + " to the path");
    return path;
}

Finished run_program(const char* variable, std::vector<std::string> arguments,
                     const RunOptions& options) {
    arguments.insert(arguments.begin(), path_in(variable));
    return run(arguments, options);
}

std::string last_line(const std::string& text) {
    const auto end = text.find_last_not_of('\n');
    const auto begin = text.find_last_of('\n', end);
    return text.substr(begin + 1, end - begin);
}

} // namespace tests
