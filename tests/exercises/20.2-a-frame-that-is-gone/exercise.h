// A coroutine that has an owner, and a program made of such coroutines.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <coroutine>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>

/// What a call of such a coroutine returns. The coroutine begins at once, and runs
/// until it waits. The Job owns the frame: when it dies, the frame is destroyed,
/// wherever it waits. This isn't one of the runtime's tasks: you see all of it here.
class [[nodiscard]] Job {
  public:
    struct promise_type {
        Job get_return_object() {
            return Job(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        void return_void() const {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };

    Job() = default;
    Job(Job&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Job& operator=(Job&& other) noexcept {
        Job taken(std::move(other));
        std::swap(frame_, taken.frame_); // `taken` destroys the old frame
        return *this;
    }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job() {
        if (frame_)
            frame_.destroy();
    }

  private:
    explicit Job(std::coroutine_handle<> frame) : frame_(frame) {}

    std::coroutine_handle<> frame_;
};

/// Checks whether a server is well.
using Look = std::function<void(const std::string& server)>;

/// Watches servers, each as often as you like.
class Watches {
  public:
    /// The loop lives longer than this.
    Watches(stage3::EventLoop& loop, Look look) : loop_(loop), look_(std::move(look)) {}

    /// Looks at a server now, and then again and again, with a pause in between, until
    /// the server is stopped or this object is destroyed.
    void start(const std::string& server, stage3::EventLoop::Duration pause);

    /// Stops looking at the server, and returns how often it was looked at. The server
    /// must be watched. Afterwards, nothing of the watch is left in the loop.
    int stop(const std::string& server);

  private:
    struct Watch {
        int looks = 0;
        Job job = {};
    };

    stage3::EventLoop& loop_;
    Look look_;
    std::map<std::string, Watch> watches_; // by server
};
