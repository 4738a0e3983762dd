// Sleeping, and time limits.
#pragma once

#include "coroutine.h"
#include "future.h"
#include "loop.h"
#include "task.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

namespace yours {

using Milliseconds = std::chrono::milliseconds;

/// Thrown by wait_for.
struct TimedOut : std::runtime_error {
    TimedOut() : std::runtime_error("it took too long") {}
};

/// A timer that is cancelled when this is destroyed.
class Timer {
  public:
    Timer(Loop& loop, Milliseconds delay, std::function<void()> callback)
        : loop_(loop), id_(loop.call_later(delay, std::move(callback))) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { loop_.cancel(id_); }

  private:
    Loop& loop_;
    Loop::TimerId id_;
};

/// Waits for `delay`, and holds up nothing else.
inline Coroutine<> sleep(Loop& loop, Milliseconds delay) {
    Future over(loop);
    const Timer timer(loop, delay, [&over] { over.set_result(); });
    co_await over;
}

/// Runs `coroutine`, and keeps what it returns.
template <class T>
Coroutine<> keep(Coroutine<T> coroutine, std::optional<T>& result) {
    result = co_await std::move(coroutine);
}

/// A task that is asked to end when its time is up, and that knows what has asked.
class LimitedTask : public Task {
  public:
    LimitedTask(Loop& loop, Coroutine<> coroutine, Milliseconds limit)
        : Task(loop, std::move(coroutine)),
          timer_(loop, limit, [this] { late_ = Task::cancel(); }) {}

    /// Something other than the timer asks.
    bool cancel() override {
        asked_ = true;
        return Task::cancel();
    }

    /// Only the timer has asked.
    bool timed_out() const { return late_ && !asked_; }

  private:
    bool late_ = false;
    bool asked_ = false;
    Timer timer_;
};

/// What `coroutine` returns or throws. If that takes longer than `limit`, the coroutine
/// is asked to end, and once it has ended, TimedOut is thrown. If the caller was asked to
/// end as well, it's Cancelled instead.
template <class T>
Coroutine<T> wait_for(Loop& loop, Coroutine<T> coroutine, Milliseconds limit) {
    std::optional<T> result;
    LimitedTask task(loop, keep(std::move(coroutine), result), limit);
    try {
        co_await task;
    } catch (const Cancelled&) {
        if (task.timed_out())
            throw TimedOut();
        throw;
    }
    co_return *std::move(result);
}

} // namespace yours
