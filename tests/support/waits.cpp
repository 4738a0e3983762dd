#include "tests/support/waits.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace tests {
namespace {

constexpr nanoseconds shortest = 20ms;
constexpr nanoseconds without_saying_so = 500ms;

std::atomic<nanoseconds::rep> waited{0};
std::atomic<nanoseconds::rep> allowed{nanoseconds(without_saying_so).count()};

} // namespace

void may_wait(std::chrono::milliseconds time, const char* /*why*/) {
    allowed += nanoseconds(time).count();
}

Waits waits() { return {nanoseconds(waited), nanoseconds(allowed)}; }

void start_counting_waits() {
    waited = 0;
    allowed = without_saying_so.count();
}

void count_wait(nanoseconds time) noexcept {
    if (time >= shortest)
        waited += time.count();
}

} // namespace tests

#ifndef LINKER_WRAPS

bool tests::waits_are_counted() { return false; }

#else

// With libc++, these are called in its shared library, which the linker leaves alone.
bool tests::waits_are_counted() {
#ifdef _LIBCPP_VERSION
    return false;
#else
    return true;
#endif
}

namespace {

nanoseconds length(const timespec& time) {
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

/// From now until then.
nanoseconds until(const timespec& then, clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return length(then) - length(now);
}

/// What `call` returns. If that is `over`, the call has waited for `time`.
template <typename Call>
int counted(nanoseconds time, int over, Call call) {
    const int result = call();
    if (result == over)
        tests::count_wait(time);
    return result;
}

} // namespace

// See faults.cpp, which also has `poll`. The functions that not every system has are
// weak: so they may be missing, and then nobody calls ours.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
struct epoll_event;
extern "C" {

[[gnu::weak]] int __real_epoll_wait(int fd, epoll_event* events, int size,
                                    int milliseconds);
[[gnu::weak]] int __real_pthread_cond_clockwait(pthread_cond_t* condition,
                                                pthread_mutex_t* mutex, clockid_t clock,
                                                const timespec* end);
int __real_select(int size, fd_set* in, fd_set* out, fd_set* failed, timeval* time);
int __real_nanosleep(const timespec* time, timespec* left);
int __real_clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                           timespec* left);
int __real_usleep(useconds_t time);
int __real_pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  const timespec* end);

int __wrap_epoll_wait(int fd, epoll_event* events, int size, int milliseconds) {
    return counted(std::chrono::milliseconds(milliseconds), 0,
                   [&] { return __real_epoll_wait(fd, events, size, milliseconds); });
}

int __wrap_select(int size, fd_set* in, fd_set* out, fd_set* failed, timeval* time) {
    nanoseconds asked{};
    if (time != nullptr) // the system may change it
        asked =
            std::chrono::seconds(time->tv_sec) + std::chrono::microseconds(time->tv_usec);
    return counted(asked, 0, [&] { return __real_select(size, in, out, failed, time); });
}

int __wrap_nanosleep(const timespec* time, timespec* left) {
    return counted(length(*time), 0, [&] { return __real_nanosleep(time, left); });
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                           timespec* left) {
    return counted(flags == TIMER_ABSTIME ? until(*time, clock) : length(*time), 0,
                   [&] { return __real_clock_nanosleep(clock, flags, time, left); });
}

int __wrap_usleep(useconds_t time) {
    return counted(std::chrono::microseconds(time), 0,
                   [&] { return __real_usleep(time); });
}

int __wrap_pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  const timespec* end) {
    return counted(until(*end, CLOCK_REALTIME), ETIMEDOUT,
                   [&] { return __real_pthread_cond_timedwait(condition, mutex, end); });
}

int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  clockid_t clock, const timespec* end) {
    return counted(until(*end, clock), ETIMEDOUT, [&] {
        return __real_pthread_cond_clockwait(condition, mutex, clock, end);
    });
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

#endif
