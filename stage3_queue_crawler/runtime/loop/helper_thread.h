// Threads in which no signal handler runs.
//
// The system calls a signal handler in any thread that doesn't block the signal. The
// mailbox's handler writes to a descriptor. In a thread that outlives the loop, it could
// write to that number when the loop has long been closed, and the number belongs to a
// file. So the threads that help the loop block signals, and leave them to the others.
//
// A program that such a thread starts with fork and exec inherits the blocked signals:
// not even Ctrl-C would end it. Unblock them in the child first (posix_spawn:
// POSIX_SPAWN_SETSIGMASK).
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace stage3 {

/// Starts a thread that calls `function`, and in which all signals are blocked, except
/// those for errors of the thread itself, such as SIGSEGV. Throws std::system_error if no
/// thread can be started.
template <class Function>
std::thread start_helper_thread(Function function) {
    class Blocked { // a new thread blocks what its creator blocks at that moment
      public:
        Blocked() {
            sigset_t all;
            ::sigfillset(&all);
            for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
                ::sigdelset(&all, fault);
            ::pthread_sigmask(SIG_SETMASK, &all, &before_);
        }
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;
        ~Blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

      private:
        sigset_t before_{};
    };
    const Blocked here;
    return std::thread(std::move(function));
}

} // namespace stage3
