// A queue of work that loses nothing.
//
// So far, no task can wait for an item, and nothing is counted. Change what you like
// except the names and types of the public members.
#pragma once

#include "coroutine.h"
#include "event_loop.h"
#include "future.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

namespace yours {

/// Items go in at one end and come out at the other. `T` can be moved; it needs neither a
/// default constructor nor a copy constructor. The queue outlives everything that uses
/// it.
template <class T>
class Queue {
  public:
    explicit Queue(EventLoop& loop) : loop_(loop), nothing_left_(loop) {}

    /// Puts an item in. If callers wait in `get`, the item belongs from now on to the one
    /// that has waited longest, and no later caller can take it. But nothing runs in
    /// here.
    void put(T item) {
        items_.push_back(std::move(item)); // yours
    }

    /// Takes the item that has been in the queue longest, without waiting if there is
    /// one. Otherwise waits until it is given one.
    ///
    /// If this throws because the caller was cancelled, it has taken nothing. An item
    /// that it was already given goes to the next caller that waits or, if there is none,
    /// back to the front of the queue.
    Coroutine<T> get() {
        if (items_.empty()) // yours
            throw std::logic_error("get can't wait yet");
        T item = std::move(items_.front());
        items_.pop_front();
        co_return item;
    }

    /// Says that an item that was taken has been dealt with. Called once for each.
    void task_done() {
        // yours
    }

    /// `co_await queue.join()` waits until every item that was put in is dealt with, or
    /// not at all if there are none. All callers share one future, and that is done only
    /// once: they don't wait for what is put in after that. And cancelling one caller
    /// cancels it for all.
    Future& join() {
        return nothing_left_; // yours
    }

  private:
    [[maybe_unused]] EventLoop& loop_; // each future needs it
    std::deque<T> items_;
    Future nothing_left_;
};

} // namespace yours
