// A queue of work that loses nothing.
//
// So far, nobody can wait for an item, and nobody counts. Change what you like, but for
// the names and types of what is public.
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

/// Items go in at one end and come out at the other. `T` can be moved; it need not have a
/// default, nor be copied. The queue outlives all who use it.
template <class T>
class Queue {
  public:
    explicit Queue(EventLoop& loop) : loop_(loop), nothing_left_(loop) {}

    /// Puts an item in. If somebody waits in `get`, it belongs to the one who has waited
    /// longest from now on: nobody who comes later can take it. But nobody runs in here.
    void put(T item) {
        items_.push_back(std::move(item)); // yours
    }

    /// Takes the item that has been in the queue longest; without waiting, if there is
    /// one. Otherwise waits until it's given one.
    ///
    /// If this throws, since whoever waits was cancelled, it has taken nothing. An item
    /// that was given to it already goes to the next one who waits; or, if nobody does,
    /// to the front of the queue, where it came from.
    Coroutine<T> get() {
        if (items_.empty()) // yours
            throw std::logic_error("get can't wait yet");
        T item = std::move(items_.front());
        items_.pop_front();
        co_return item;
    }

    /// Says that an item that was taken is dealt with. Call it once for each.
    void task_done() {
        // yours
    }

    /// `co_await queue.join()` waits until every item that was put in is dealt with; not
    /// at all, if there are none. (It's one future for all who ask, and a future is done
    /// once and for all: what is put in after that isn't waited for. And who waits for it
    /// and is cancelled, cancels it for all.)
    Future& join() {
        return nothing_left_; // yours
    }

  private:
    [[maybe_unused]] EventLoop& loop_; // each future needs it
    std::deque<T> items_;
    Future nothing_left_;
};

} // namespace yours
