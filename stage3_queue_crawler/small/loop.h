// A loop with timers, and what they are for: to sleep, and to end what takes too long.
//
// The real ones are runtime/loop/timers.h and runtime/task/wait.h. Page 14 of the book.
#pragma once

#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/task.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace stage3::small {

// [loop]
/// A loop that can also call back at a given time.
class Loop : public EventLoop {
  public:
    using Clock = std::chrono::steady_clock;
    /// When a timer is due, and its number, so that no two are equal.
    using TimerId = std::pair<Clock::time_point, unsigned long>;
    using EventLoop::EventLoop; // it's constructed like one

    /// Calls `callback`, once, when `delay` has passed.
    TimerId call_later(Milliseconds delay, std::function<void()> callback) {
        const TimerId id(Clock::now() + delay, ++made_);
        timers_.emplace(id, std::move(callback));
        return id;
    }

    /// If it has already been called or cancelled, nothing happens.
    void cancel(const TimerId& id) { timers_.erase(id); }

    /// One turn, which sleeps no longer than until the next timer; then calls those that
    /// are due, the earliest first.
    void turn(std::optional<Milliseconds> timeout = std::nullopt) override {
        if (!timers_.empty()) {
            const auto left = timers_.begin()->first.first - Clock::now();
            const auto most = std::chrono::ceil<Milliseconds>(left); // never too early
            timeout = std::max(std::min(most, timeout.value_or(most)), Milliseconds(0));
        }
        EventLoop::turn(timeout);
        // What a callback adds now comes after `last`, so it waits for the next turn.
        const TimerId last(Clock::now(), made_);
        while (!timers_.empty() && timers_.begin()->first <= last) {
            const auto timer = timers_.extract(timers_.begin()); // out, before it runs
            timer.mapped()();
        }
    }

  private:
    std::map<TimerId, std::function<void()>> timers_; // the earliest first
    unsigned long made_ = 0;
};
// [/loop]

// [timer]
/// Calls back when `delay` has passed, unless it's destroyed before.
class Timer {
  public:
    Timer(Loop& loop, Loop::Milliseconds delay, std::function<void()> callback)
        : loop_(loop), id_(loop.call_later(delay, std::move(callback))) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { loop_.cancel(id_); }

  private:
    Loop& loop_;
    Loop::TimerId id_;
};

/// Waits until `delay` has passed.
inline Coroutine<> sleep(Loop& loop, Loop::Milliseconds delay) {
    Future over(loop);
    const Timer timer(loop, delay, [&over] { over.set_result(); });
    co_await over;
}
// [/timer]

// [timed-task]
/// A task that is asked to end when `limit` has passed.
class TimedTask : public Task {
  public:
    TimedTask(Loop& loop, Loop::Milliseconds limit, Coroutine<> coroutine)
        : Task(loop, std::move(coroutine)),
          timer_(loop, limit, [this] { is_late_ = Task::cancel(); }) {}

    /// A request from the task that waits for this one.
    bool cancel() override {
        was_asked_ = true;
        return Task::cancel();
    }

    /// True if it was asked to end by its timer, and by nothing else.
    bool is_only_late() const { return is_late_ && !was_asked_; }

  private:
    bool is_late_ = false;
    bool was_asked_ = false;
    Timer timer_;
};
// [/timed-task]

// [ends-within]
/// Runs `coroutine`, asks it to end when `limit` has passed, and waits until it has
/// ended. False if it ended because of that request. Throws what it throws otherwise.
inline Coroutine<bool> ends_within(Loop& loop, Loop::Milliseconds limit,
                                   Coroutine<> coroutine) {
    TimedTask task(loop, limit, std::move(coroutine));
    try {
        co_await task;
    } catch (const Cancelled&) {
        if (!task.is_only_late())
            throw; // it's we who were asked to end
        co_return false;
    }
    co_return true;
}
// [/ends-within]

} // namespace stage3::small
