#include "common/system/processor_time.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <unistd.h>

namespace common {
namespace {

std::chrono::nanoseconds time_of(clockid_t clock) {
    std::timespec time{};
    ::clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

ProcessorClock::ProcessorClock()
    : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ProcessorTime ProcessorClock::now() {
    return {.thread = time_of(CLOCK_THREAD_CPUTIME_ID) + wait_for_processor(),
            .process = time_of(CLOCK_PROCESS_CPUTIME_ID)};
}

/// The second of the file's numbers. If it can't be read, it's as it was.
/// Source: the kernel's Documentation/scheduler/sched-stats.rst
std::chrono::nanoseconds ProcessorClock::wait_for_processor() {
    std::array<char, 100> text{};
    if (!file_ || ::pread(file_.fd(), text.data(), text.size() - 1, 0) <= 0)
        return waited_;
    char* rest = text.data();
    std::strtoll(rest, &rest, 10);
    waited_ = std::max(waited_, std::chrono::nanoseconds(std::strtoll(rest, &rest, 10)));
    return waited_;
}

} // namespace common
