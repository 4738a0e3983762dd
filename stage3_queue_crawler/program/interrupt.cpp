#include "stage3_queue_crawler/program/interrupt.h"

#include <atomic>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace stage3 {

// [ctrl-c]
namespace {

// A signal handler can't be given any data, so what it needs is global.
std::atomic<bool> next_signal_exits = false;
static_assert(std::atomic<bool>::is_always_lock_free); // no handler may wait for a lock
void (*tell_loop)(int) = nullptr;

/// Called by the kernel, wherever the program is.
void on_signal(int number) {
    if (next_signal_exits.exchange(true))
        ::_exit(interrupted_status);
    tell_loop(number);
}

} // namespace

/// Ctrl-C asks the crawl to end. The second one ends the program at once.
void end_on_ctrl_c(EventLoop& loop, Task<Ending> crawl) {
    for (const int number : {SIGINT, SIGTERM})
        loop.add_signal_handler(number, [crawl]() mutable { crawl.cancel(); });
    // The loop's own handler waits for the loop's turn. This one comes before it.
    struct sigaction action{};
    ::sigaction(SIGINT, nullptr, &action);
    tell_loop = std::exchange(action.sa_handler, on_signal);
    for (const int number : {SIGINT, SIGTERM})
        ::sigaction(number, &action, nullptr);
}
// [/ctrl-c]

void end_on_hangup(EventLoop& loop, Task<Ending> crawl) {
    struct sigaction action{};
    ::sigaction(SIGHUP, nullptr, &action);
    if (action.sa_handler == SIG_IGN)
        return;
    loop.add_signal_handler(SIGHUP, [crawl]() mutable { crawl.cancel(); });
    ::sigaction(SIGHUP, nullptr, &action);
    action.sa_handler = [](int number) {
        next_signal_exits = true; // but a SIGHUP never does
        tell_loop(number);
    };
    ::sigaction(SIGHUP, &action, nullptr);
}

bool is_interrupted() { return next_signal_exits; }

} // namespace stage3
