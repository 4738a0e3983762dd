// A wall clock that jumps back and forth by days whenever it is read. Preloaded
// (LD_PRELOAD) into the program under test. The monotonic clock (CLOCK_MONOTONIC) is left
// alone.
#include <atomic>
#include <ctime>

#include <dlfcn.h>
#include <sys/time.h>

namespace {

timespec real_time(clockid_t clock) {
    using Function = int (*)(clockid_t, timespec*);
    static const auto real =
        reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
    timespec now{};
    real(clock, &now);
    return now;
}

timespec jumped(clockid_t clock) {
    static std::atomic<unsigned> looks = 0;
    timespec now = real_time(clock);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
        const long days = static_cast<long>(++looks * 7U % 11U) - 5;
        now.tv_sec += days * 86'400;
    }
    return now;
}

} // namespace

// NOLINTBEGIN(misc-use-internal-linkage,readability-inconsistent-declaration-parameter-name)
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    *now = jumped(clock);
    return 0;
}

extern "C" time_t time(time_t* now) noexcept {
    const time_t seconds = jumped(CLOCK_REALTIME).tv_sec;
    if (now != nullptr)
        *now = seconds;
    return seconds;
}

extern "C" int gettimeofday(timeval* now, void* /*zone*/) noexcept {
    const timespec jump = jumped(CLOCK_REALTIME);
    now->tv_sec = jump.tv_sec;
    now->tv_usec = jump.tv_nsec / 1000;
    return 0;
}
// NOLINTEND(misc-use-internal-linkage,readability-inconsistent-declaration-parameter-name)
