#include "stage3_queue_crawler/program/interrupt.h"

#include <atomic>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace stage3 {

namespace {

// A signal handler can't be given any data, so what it needs is global.
std::atomic<int> first_signal = 0;                    // none has come yet
static_assert(std::atomic<int>::is_always_lock_free); // no handler may wait for a lock
void (*tell_loop)(int) = nullptr;

/// As if nobody had caught the signal. A handler may call it.
[[noreturn]] void die_by(int number) {
    std::signal(number, SIG_DFL);
    sigset_t blocked{}; // as a signal is inside its own handler
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, number);
    ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
    ::raise(number);
    ::_exit(128 + number); // the kernel protects process 1
}

/// Called by the kernel, wherever the program is.
void on_signal(int number) {
    if (int none = 0; !first_signal.compare_exchange_strong(none, number))
        die_by(number);
    tell_loop(number);
}

} // namespace

void let_signals_end_process_1() {
    if (::getpid() == 1)
        for (const int number : {SIGINT, SIGTERM})
            std::signal(number, die_by);
}

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

void end_on_hangup(EventLoop& loop, Task<Ending> crawl) {
    struct sigaction action{};
    ::sigaction(SIGHUP, nullptr, &action);
    if (action.sa_handler == SIG_IGN)
        return;
    loop.add_signal_handler(SIGHUP, [crawl]() mutable { crawl.cancel(); });
    ::sigaction(SIGHUP, nullptr, &action);
    action.sa_handler = [](int number) {
        int none = 0; // a second SIGHUP doesn't end the program, as on_signal would
        first_signal.compare_exchange_strong(none, number);
        tell_loop(number);
    };
    ::sigaction(SIGHUP, &action, nullptr);
}

bool is_interrupted() { return first_signal != 0; }

void die_if_interrupted() {
    if (is_interrupted())
        die_by(first_signal);
}

} // namespace stage3
