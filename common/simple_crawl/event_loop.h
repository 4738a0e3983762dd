// An event loop: the smallest framework for waiting on many sockets in one thread.
//
// You register a callback for a descriptor: "call this when it can be read". The loop
// asks the selector which descriptors are ready, calls their callbacks, and asks again.
// Nothing else runs while a callback does, so no callback needs a lock, and none may
// block: all the others would have to wait for it. Page 03 of the book.
#pragma once

#include "common/system/selector.h"
#include "common/trace/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <unordered_map>
#include <utility>

namespace common {

class EventLoop {
  public:
    using Callback = std::function<void()>;
    using Milliseconds = Selector::Milliseconds;

    /// `tracer` must outlive the loop.
    EventLoop(std::unique_ptr<Selector> selector, Tracer& tracer)
        : selector_(std::move(selector)), tracer_(tracer) {}

    /// From now on, `callback` is called in each turn in which `fd` is ready for
    /// `events`. `name` is for traces. Throws as Selector::register_fd does.
    void register_fd(int fd, Events events, const char* name, Callback callback,
                     std::source_location at = std::source_location::current());

    /// False if the selector has no room for this descriptor (Selector::can_watch).
    bool can_watch(int fd) const { return selector_->can_watch(fd); }

    /// Forgets the callback for `fd`, which may be the one that is running.
    void unregister_fd(int fd);

    /// Waits and calls back until `stop` is called (returns true), or until nothing has
    /// been ready for as long as `patience` (returns false). Throws what a callback
    /// throws.
    bool run(Milliseconds patience);

    Tracer& tracer() { return tracer_; }

    /// Makes `run` return once the callbacks of this turn have been called.
    void stop() { stopped_ = true; }

  private:
    struct Watch {
        Callback callback;
        const char* name;
        std::source_location at;
        std::uint64_t number; // different for each registration
        Events events;
    };

    void call_back(const Ready& event);

    std::unique_ptr<Selector> selector_;
    Tracer& tracer_;
    std::unordered_map<int, std::shared_ptr<const Watch>> watches_; // by descriptor
    std::uint64_t next_number_ = 0;
    bool stopped_ = false;
};

} // namespace common
