// timed: runs a program, and reports what it took.
//
//     timed FD CORE PROGRAM [ARGUMENT...]      (CORE: a number, or - for any)
//
// When the program has ended, a line is written to descriptor FD: wall, user and system
// time in seconds, its peak memory in bytes, and its status as from wait.
//
// Why doesn't the Python script that measures do this itself? In Linux, the memory of a
// process that forks counts as its child's peak, whatever program that becomes: every
// program would seem to need at least as much as Python. This one needs next to
// nothing. And if the script ends, however it ends, the program ends with it.
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#endif

namespace {

[[noreturn]] void give_up(const char* what) {
    static_cast<void>(
        std::fprintf(stderr, "timed: %s: %s\n", what, std::strerror(errno)));
    std::_Exit(127);
}

void stay_on([[maybe_unused]] int core) {
#ifdef __linux__
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(core), &cores);
    if (::sched_setaffinity(0, sizeof cores, &cores) < 0)
        give_up("can't stay on this core");
#endif
}

/// Ends this process when its parent ends.
void end_with([[maybe_unused]] pid_t parent) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) // the parent ended before this
        std::_Exit(127);
#endif
}

int number(const char* text) { return static_cast<int>(std::strtol(text, nullptr, 10)); }

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        static_cast<void>(
            std::fputs("usage: timed FD CORE PROGRAM [ARGUMENT...]\n", stderr));
        return 2;
    }
    const int report = number(argv[1]);
    ::fcntl(report, F_SETFD, FD_CLOEXEC); // the program doesn't inherit it
    end_with(::getppid());
    if (argv[2] != std::string_view("-"))
        stay_on(number(argv[2]));
    const pid_t me = ::getpid();
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child < 0)
        give_up("fork");
    if (child == 0) {
        end_with(me);
        ::execvp(argv[3], argv + 3);
        give_up(argv[3]);
    }
    int status = 0;
    rusage used{};
    while (::wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR)
            give_up("wait4");
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
#ifdef __linux__
    const long peak = used.ru_maxrss * 1024;
#else
    const long peak = used.ru_maxrss;
#endif
    std::array<char, 200> line{};
    const int length =
        std::snprintf(line.data(), line.size(), "%.6f %.6f %.6f %ld %d\n", wall.count(),
                      seconds(used.ru_utime), seconds(used.ru_stime), peak, status);
    const auto written = ::write(report, line.data(), static_cast<std::size_t>(length));
    return written == length ? 0 : 1;
}
