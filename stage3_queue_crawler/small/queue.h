// The smallest queue of work that loses nothing.
//
// The real one is runtime/sync/queue.h. Page 12 of the book.
#pragma once

#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"

#include <deque>
#include <optional>
#include <utility>

namespace stage3::small {

// NOLINTBEGIN(bugprone-unchecked-optional-access): who was served has an item
// [queue]
template <class T>
class Queue {
  public:
    explicit Queue(EventLoop& loop) : loop_(loop), nothing_left_(loop) {}

    void put(T item) {
        ++unfinished_;
        if (!hand_over(item))
            items_.push_back(std::move(item));
    }

    /// Waits until there is an item, and takes it.
    Coroutine<T> get() {
        Getter getter(*this);
        if (!items_.empty()) {
            getter.item = std::move(items_.front());
            items_.pop_front();
        } else {
            getters_.push_back(&getter);
            co_await getter.is_served;
        }
        co_return *std::exchange(getter.item, std::nullopt);
    }

    /// An item that was taken has been dealt with.
    void task_done() {
        if (--unfinished_ == 0)
            nothing_left_.set_result();
    }

    /// `co_await queue.join()` waits until every item put in has been dealt with.
    Future& join() {
        if (unfinished_ == 0)
            nothing_left_.set_result();
        return nothing_left_;
    }
    // [/queue]

  private:
    // [getter]
    /// Waits for an item. Lives in the frame of `get`.
    struct Getter {
        explicit Getter(Queue& q) : queue(q), is_served(q.loop_) {}
        Getter(const Getter&) = delete;
        Getter& operator=(const Getter&) = delete;
        ~Getter() {
            std::erase(queue.getters_, this);
            if (item && !queue.hand_over(*item)) // cancelled before taking it
                queue.items_.push_front(*std::move(item));
        }

        Queue& queue;
        Future is_served;
        std::optional<T> item;
    };
    // [/getter]

    // [hand-over]
    /// Gives `item` to the getter that has waited longest. False if none waits.
    bool hand_over(T& item) {
        if (getters_.empty())
            return false;
        Getter& getter = *getters_.front();
        getters_.pop_front();
        getter.item = std::move(item);
        getter.is_served.set_result();
        return true;
    }
    // [/hand-over]

    // [members]
    EventLoop& loop_;
    std::deque<T> items_;
    std::deque<Getter*> getters_; // the one that has waited longest first
    std::size_t unfinished_ = 0;  // put in and not yet dealt with
    Future nothing_left_;
    // [/members]
};
// NOLINTEND(bugprone-unchecked-optional-access)

} // namespace stage3::small
