// An event loop: a queue of who is ready to run, and one turn.
#pragma once

#include "common/system/selector.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace yours {

/// Something that can run, such as a task that goes on. It brings its own link along, so
/// it stands in one queue at a time, and to stand there costs nothing.
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
    // Stands behind this one. nullptr: nobody does, or this one stands in no queue.
    [[maybe_unused]] Runnable* next_ = nullptr;
};

/// First in, first out. It owns nobody. As it's meant, it's a list whose links are the
/// `next_` of those who stand in it: so it allocates nothing.
class RunQueue {
  public:
    bool empty() const { return first_ == nullptr; }

    /// From now on `one` is the last. (It stands in no queue, so its `next_` is nullptr.)
    void push(Runnable& one) { (void)one; }

    /// Hooks all that stands in `other` onto the end, in its order. (With links, nobody
    /// walks along it: that takes as long for ten thousand as for one.) Then `other` is
    /// empty, and can be used again. If nobody stands in it, nothing happens.
    void append(RunQueue& other) { (void)other; }

    /// Takes out the first, and returns it. It stands in no queue then, so its `next_` is
    /// nullptr. Nobody calls this if the queue is empty.
    Runnable& pop() { return *first_; }

  private:
    Runnable* first_ = nullptr;
    [[maybe_unused]] Runnable* last_ =
        nullptr; // means something only if there is a first
};

class EventLoop {
  public:
    /// They run when a turn comes to them, not in here.
    void make_ready(Runnable& one) { ready_.push(one); }
    void make_ready(RunQueue& several) { ready_.append(several); }

    /// From now on, a turn calls `callback` whenever `fd` is ready for `events`. There is
    /// one callback for a descriptor.
    void watch(int fd, common::Events events, std::function<void()> callback) {
        (void)fd;
        (void)events;
        (void)callback;
    }

    /// Not any more. (No callback of `watch` calls this, but a Runnable may.)
    void unwatch(int fd) { (void)fd; }

    /// One turn. First it asks the selector which descriptors are ready, in every turn,
    /// and calls their callbacks. If somebody is ready to run, it doesn't sleep for that;
    /// if not, it sleeps, but no longer than `timeout` (nothing: as long as it takes).
    /// Then it runs who is ready by now, in their order, also those whom the callbacks
    /// have made ready. If one of them makes somebody ready, that one runs in the next
    /// turn.
    void turn(std::optional<common::Selector::Milliseconds> timeout = std::nullopt) {
        (void)timeout;
    }

  private:
    std::unique_ptr<common::Selector> selector_ = common::make_selector();
    std::unordered_map<int, std::function<void()>> callbacks_; // by descriptor
    RunQueue ready_;
};

} // namespace yours
