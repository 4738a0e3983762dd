// How other threads and signal handlers reach the loop.
//
// The loop's thread sleeps in select. Nothing but a descriptor wakes it. So here is a
// pipe to itself: a thread that has something for the loop leaves it here and writes a
// byte. (Known as the self-pipe trick; D. J. Bernstein described it.)
#pragma once

#include "common/system/socket.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <source_location>
#include <vector>

namespace stage3 {

class Mailbox {
  public:
    using Function = std::function<void()>;
    struct Letter {
        Function function;
        std::source_location at; ///< where it was left here, for traces
    };

    /// Throws std::system_error if there is no descriptor left.
    Mailbox();

    /// Leaves a function for the loop, and wakes it. From any thread.
    void put(Function function,
             std::source_location at = std::source_location::current());

    /// True if something is waiting here. Cheap enough to ask in each turn.
    bool has_mail() const { return has_mail_.load(std::memory_order_acquire); }

    /// What was left here, in order.
    std::vector<Letter> take();

    /// Becomes readable when the loop has to wake.
    int fd() const { return reading_.fd(); }

    /// Makes sure that it's readable again only when something new comes.
    void empty_pipe();

    /// True if the signal has come since this was last asked. It must be watched.
    bool take_signal(int number);
    /// From now on, the signal wakes the loop.
    /// Throws std::invalid_argument if there is no such signal, if it can't be caught, or
    /// if another loop has it.
    void watch_signal(int number);
    /// Restores what the signal did before.
    void unwatch_signal(int number);

  private:
    common::Socket reading_, writing_;
    std::mutex mutex_; // guards what follows
    std::vector<Letter> letters_;
    std::atomic<bool> has_mail_ = false; // may be read without the mutex
};

} // namespace stage3
