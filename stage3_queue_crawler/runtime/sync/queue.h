// A queue of work, between tasks that bring it and tasks that fetch it.
//
// `get` waits until there is an item, `put` until there is room. And it counts: each item
// that comes in is unfinished until `task_done` is called for it, and `join` waits until
// none is. That count is how a crawl knows that it is done.
//
// Waiters are served strictly in turn. A new item goes to the getter that has waited
// longest, and new room to the putter that has; both at once, so that no latecomer can
// cut in. That creates a difficulty: a getter that was served, but is cancelled before it
// is resumed, holds an item that no other task would ever see. So it gives the item back,
// to its old place. (asyncio's queue lets others cut in; Tornado's loses the item.) Page
// 12 of the book.
//
// Without memory: `put` and `get` throw, and then the item has not come in, or not left.
// All else needs no memory: handing over, giving back, `task_done`. That holds for items
// that can be moved without an exception, and for an order that has `reserve`.
#pragma once

#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/sync/queue_orders.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace stage3 {

/// Thrown by get_nowait when there is no item.
struct QueueEmpty : std::runtime_error {
    QueueEmpty() : std::runtime_error("the queue is empty") {}
};

/// Thrown by put_nowait when there is no room.
struct QueueFull : std::runtime_error {
    QueueFull() : std::runtime_error("the queue is full") {}
};

/// A queue of `T`, which must outlive its waiters. `Order` says which item leaves next.
template <class T, class Order = Fifo<T>>
class Queue {
  public:
    /// Has room for `max_size` items; 0: for any number.
    explicit Queue(std::size_t max_size = 0, Order order = Order())
        : max_size_(max_size), items_(std::move(order)) {
        nothing_left_.set();
    }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    ~Queue() = default;

    std::size_t size() const { return items_.size(); }
    std::size_t max_size() const { return max_size_; }
    bool empty() const { return size() == 0; }
    bool full() const { return max_size_ != 0 && size() >= max_size_; }
    /// How many items have come in and are not done.
    std::size_t unfinished() const { return unfinished_; }

    /// Puts an item in, once there is room. Throws Timeout if there was none in time, or
    /// Cancelled; in both cases the item has not come in.
    Coroutine<> put(T item, TimeLimit limit = {});
    /// Puts an item in at once, or throws QueueFull.
    void put_nowait(T item) {
        if (full())
            throw QueueFull();
        bring_in({std::move(item), next_number_++});
    }

    /// Takes an item out, once there is one. Throws Timeout if none came in time, or
    /// Cancelled; in both cases no item is lost.
    Coroutine<T> get(TimeLimit limit = {});
    /// Takes an item out at once, or throws QueueEmpty.
    T get_nowait() {
        if (empty())
            throw QueueEmpty();
        return take();
    }

    /// An item that was taken out has been dealt with. Throws std::logic_error if this is
    /// called more often than items came in.
    void task_done() {
        if (unfinished_ == 0)
            throw std::logic_error("task_done was called more often than items came in");
        count_down("task_done");
    }
    /// Waits until all items that have come in have been dealt with. Throws Timeout.
    Coroutine<> join(TimeLimit limit = {}) {
        trace("join");
        if (limit)
            co_await wait_for(nothing_left_.wait(), *limit);
        else
            co_await nothing_left_.wait();
    }

    /// For people to read: how full it is, and how many wait.
    std::string describe() const {
        return fmt::format("items: {}{}, waiting to get: {}, to put: {}, unfinished: {}",
                           size(), max_size_ != 0 ? fmt::format(" of {}", max_size_) : "",
                           getters_.size(), putters_.size(), unfinished_);
    }

  private:
    using Entry = Numbered<T>;

    /// Waits for an item.
    struct Getter : Waiting<Getter, Entry> {
        explicit Getter(Queue& q) : Waiting<Getter, Entry>(q.getters_), queue(q) {}
        Getter(const Getter&) = delete;
        Getter& operator=(const Getter&) = delete;
        /// Gives its item back, if it was given one and never took it.
        ~Getter() { // NOLINT(bugprone-exception-escape): none of this fails
            if (!taken && this->future.done() && !this->future.has_failed())
                queue.give_back(take_entry());
        }
        Entry take_entry() {
            taken = true;
            --queue.handed_over_;
            return this->future.state()->take_result(true); // nothing else wants it
        }

        Queue& queue;
        bool taken = false;
    };

    /// Waits for room for its entry.
    struct Putter : Waiting<Putter, void> {
        Putter(Queue& q, Entry e)
            : Waiting<Putter, void>(q.putters_), number(e.number), entry(std::move(e)) {}

        std::uint64_t number;
        Entry entry;
    };

    void make_room_for(std::size_t more);
    void bring_in(Entry entry);
    bool hand_over(Entry& entry);
    T take();
    void let_putters_in();
    void give_back(Entry entry);
    bool take_back(std::uint64_t number);
    void count_down(std::string_view why);
    void trace(std::string_view phase, const Entry* entry = nullptr,
               const FutureBase* waiter = nullptr);

    const std::size_t max_size_;
    Order items_;
    Line<Getter> getters_;        // used only while the queue is empty
    Line<Putter> putters_;        // used only while it is full
    std::size_t handed_over_ = 0; // to getters that have not run since; may come back
    std::size_t unfinished_ = 0;
    Event nothing_left_;
    std::uint64_t next_number_ = 0;
    std::uint64_t id_ = 0; // for traces
};

template <class T>
using LifoQueue = Queue<T, Lifo<T>>;
template <class T, class Less = std::less<T>>
using PriorityQueue = Queue<T, SmallestFirst<T, Less>>;

// ---- The inside ----

template <class T, class Order>
void Queue<T, Order>::bring_in(Entry entry) {
    make_room_for(1); // all that can fail
    ++unfinished_;
    nothing_left_.clear();
    if (hand_over(entry))
        return;
    trace("put", &entry);
    items_.push(std::move(entry));
}

/// There is always memory for the items that are here, and for those that may come back.
template <class T, class Order>
void Queue<T, Order>::make_room_for(std::size_t more) {
    if constexpr (requires { items_.reserve(more); })
        items_.reserve(size() + handed_over_ + more);
}

/// Gives it to the getter that has waited longest. False if none waits.
template <class T, class Order>
bool Queue<T, Order>::hand_over(Entry& entry) {
    Getter* const getter = getters_.next();
    if (getter == nullptr)
        return false;
    trace("hand_over", &entry, &getter->future.base());
    ++handed_over_;
    getter->future.set_result(std::move(entry));
    return true;
}

template <class T, class Order>
T Queue<T, Order>::take() {
    Entry entry = items_.pop(); // NOLINT(misc-const-correctness): moved from
    trace("get", &entry);
    let_putters_in();
    return std::move(entry.item);
}

/// Room goes at once to the putters that wait for it; a latecomer finds none.
template <class T, class Order>
void Queue<T, Order>::let_putters_in() {
    while (!full()) {
        Putter* const putter = putters_.next();
        if (putter == nullptr)
            return;
        trace("let_in", &putter->entry, &putter->future.base());
        putter->future.set_result();
        bring_in(std::move(putter->entry));
    }
}

/// A getter was given this, but leaves without it.
template <class T, class Order>
void Queue<T, Order>::give_back(Entry entry) {
    trace("give_back", &entry);
    if (hand_over(entry))
        return;
    trace("put_back", &entry);
    items_.unpop(std::move(entry)); // may exceed max_size for the moment
}

template <class T, class Order>
Coroutine<T> Queue<T, Order>::get(TimeLimit limit) {
    if (!empty())
        co_return take();
    Getter getter(*this);
    trace("wait_to_get", nullptr, &getter.future.base());
    const CancelAtExit timer(fail_after(getter.future, limit));
    co_await getter.future;
    co_return getter.take_entry().item;
}

template <class T, class Order>
Coroutine<> Queue<T, Order>::put(T item, TimeLimit limit) {
    Entry entry{std::move(item), next_number_++};
    if (!full()) {
        bring_in(std::move(entry));
        co_return;
    }
    const Putter putter(*this, std::move(entry));
    trace("wait_to_put", &putter.entry, &putter.future.base());
    const CancelAtExit timer(fail_after(putter.future, limit));
    std::optional<Cancelled> cancelled;
    try {
        co_await putter.future;
    } catch (const Cancelled& request) {
        cancelled = request;
    }
    if (!cancelled)
        co_return;
    // If it was let in before it was cancelled, the item must come out again. If the item
    // has left already, this put has succeeded, and the request comes too late for it.
    if (putter.future.has_failed() || take_back(putter.number))
        throw Cancelled(*std::move(cancelled));
    current_task()->cancel_at_next_wait(*std::move(cancelled));
}

/// Takes out what a cancelled putter has brought in. False if it has left already.
template <class T, class Order>
bool Queue<T, Order>::take_back(std::uint64_t number) {
    if (!items_.unpush(number))
        return false;
    let_putters_in(); // first, so that the count doesn't touch 0 if a putter waits
    count_down("take_back");
    return true;
}

template <class T, class Order>
void Queue<T, Order>::count_down(std::string_view why) {
    --unfinished_;
    trace(why);
    if (unfinished_ == 0)
        nothing_left_.set();
}

/// `waiter`: the future of the getter or putter. This is called before the item moves, so
/// a "put" counts its item already.
template <class T, class Order>
void Queue<T, Order>::trace(std::string_view phase, const Entry* entry,
                            const FutureBase* waiter) {
    const EventLoop* const loop = running_loop_or_none();
    if (loop == nullptr || !loop->tracer().enabled()) [[likely]]
        return;
    if (id_ == 0)
        id_ = loop->tracer().new_id();
    std::string name; // a number's digits, or what `trace_name` says
    try {
        if constexpr (requires { trace_name(entry->item); })
            name = entry != nullptr ? trace_name(entry->item) : "";
        else if constexpr (std::is_arithmetic_v<T>)
            name = entry != nullptr ? fmt::format("{}", entry->item) : "";
    } catch (...) {
        name.clear(); // a trace must not change what happens
    }
    loop->tracer().queue({.phase = phase, .item = name, .future = waiter},
                         {.id = id_,
                          .size = size() + (phase.starts_with("put") ? 1 : 0),
                          .unfinished = unfinished_,
                          .getters = getters_.size(),
                          .putters = putters_.size()});
}

} // namespace stage3
