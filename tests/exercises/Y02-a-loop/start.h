// An event loop: a queue of what is ready to run, and one turn.
#pragma once

#include "common/system/selector.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace yours {

/// Something that can run, such as a task that resumes. It contains its own link, so it
/// can be in one queue at a time, and being in one costs nothing.
class Runnable {
  public:
    virtual void run() = 0;

    Runnable() = default;
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

  protected:
    ~Runnable() = default;

  private:
    friend class RunQueue;
    // The next one in the queue. nullptr if there is none, or if this one is in no queue.
    [[maybe_unused]] Runnable* next_ = nullptr;
};

/// First in, first out. It owns none of its elements. It is meant to be a list linked
/// through their `next_`, so that it never allocates.
class RunQueue {
  public:
    bool empty() const { return first_ == nullptr; }

    /// From now on, `one` is the last. It is in no queue yet, so its `next_` is nullptr.
    void push(Runnable& one) { (void)one; }

    /// Appends everything in `other`, in its order. With links, this takes as long for
    /// ten thousand elements as for one. Afterwards, `other` is empty, and can be used
    /// again. If it was empty before, nothing happens.
    void append(RunQueue& other) { (void)other; }

    /// Takes out the first element and returns it. It is then in no queue, so its `next_`
    /// is nullptr. Not called if the queue is empty.
    Runnable& pop() { return *first_; }

  private:
    Runnable* first_ = nullptr;
    [[maybe_unused]] Runnable* last_ = nullptr; // only valid if there is a first
};

class EventLoop {
  public:
    using Milliseconds = common::Selector::Milliseconds;

    /// With the selector of that name, or with the best one.
    explicit EventLoop(std::string_view selector = {})
        : selector_(common::make_selector(selector)) {}
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;
    virtual ~EventLoop() = default;

    /// These run when a turn comes to them, not in here.
    void make_ready(Runnable& one) { ready_.push(one); }
    void make_ready(RunQueue& several) { ready_.append(several); }
    bool has_ready() const { return !ready_.empty(); }

    /// From now on, a turn calls `callback` whenever `fd` is ready for `events`. Each
    /// descriptor has one callback.
    void watch(int fd, common::Events events, std::function<void()> callback) {
        (void)fd;
        (void)events;
        (void)callback;
    }

    /// Stops that. Any code may call this, even the callback of this descriptor, or of
    /// another that has become ready at the same time.
    void unwatch(int fd) { (void)fd; }

    /// One turn. First it asks the selector, in every turn, which descriptors are ready,
    /// and calls their callbacks. If something is ready to run, it doesn't sleep for
    /// that; otherwise it sleeps, but no longer than `timeout` (or as long as it takes,
    /// without one). Then it runs whatever is ready by now, in order, including what the
    /// callbacks have made ready. What these make ready runs in the next turn.
    ///
    /// (It is virtual because the loop of Y07, which has timers, does more in a turn.)
    virtual void turn(std::optional<Milliseconds> timeout = std::nullopt) {
        (void)timeout;
    }

  private:
    std::unique_ptr<common::Selector> selector_;
    std::unordered_map<int, std::function<void()>> callbacks_; // by descriptor
    RunQueue ready_;
};

} // namespace yours
