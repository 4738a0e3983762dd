// A function that the loop will call, and a handle to take that back.
#pragma once

#include "stage3_queue_crawler/runtime/loop/ref.h"
#include "stage3_queue_crawler/runtime/loop/run_queue.h"

#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>

namespace stage3 {

class EventLoop;

/// The name of what is no part of the story.
inline constexpr std::string_view not_traced;

/// A function on its way to be called. Handles own it; and while it stands in a queue, it
/// owns itself.
class Callback : public Runnable, public Counted {
  public:
    /// How often it may be called.
    enum class Times : std::uint8_t { once, often };

    /// `name` and `at` are for traces; `name` must outlive the callback.
    Callback(EventLoop& loop, Times times, std::string_view name, std::source_location at)
        : loop_(loop), name_(name), at_(at), times_(times) {}

    // For traces: it's called for this descriptor; it lies among the timers.
    void is_for(int fd) { fd_ = fd; }
    void has_timer() { has_timer_ = true; }
    std::string_view name() const { return name_; }
    const std::source_location& at() const { return at_; }

    void stand_in(RunQueue& queue) noexcept {
        queued_ = Ref(this);
        queue.push(*this);
    }
    bool queued() const { return static_cast<bool>(queued_); }

    /// Calls the function, unless it was cancelled. What it throws goes to the loop's
    /// exception handler.
    void run() noexcept final;
    /// It won't be called any more. What it holds is let go.
    void drop() noexcept final;
    bool unwanted() const noexcept final { return cancelled_; }
    void trace_ready(common::Tracer& tracer) const final;

    void cancel();
    bool cancelled() const { return cancelled_; }

  protected:
    virtual void call() = 0;
    /// Destroys the function, which may hold a lot.
    virtual void forget() = 0;

  private:
    EventLoop& loop_;
    std::string_view name_;
    std::source_location at_;
    Ref<Callback> queued_; // this object, while it stands in a queue
    int fd_ = -1;          // none
    Times times_;
    bool has_timer_ = false;
    bool cancelled_ = false;
    bool running_ = false;
};

/// The function, added to that: one piece of memory for both.
template <class Function>
class CallbackTo final : public Callback {
  public:
    CallbackTo(EventLoop& loop, Function function, Times times, std::string_view name,
               std::source_location at)
        : Callback(loop, times, name, at), function_(std::move(function)) {}

  private:
    void call() override {
        (*function_)(); // NOLINT(bugprone-unchecked-optional-access): not cancelled
    }
    void forget() override { function_.reset(); }

    std::optional<Function> function_;
};

/// What is returned for a function that will be called. It may outlive the loop.
class Handle {
  public:
    Handle() = default;
    explicit Handle(Ref<Callback> callback) noexcept : callback_(std::move(callback)) {}

    /// The function won't be called any more, and is destroyed.
    void cancel() const {
        if (callback_)
            callback_->cancel();
    }
    bool cancelled() const { return callback_ && callback_->cancelled(); }
    /// As if its queue were gone: see Callback::drop.
    void drop() const noexcept {
        if (callback_)
            callback_->drop();
    }

    /// True if there is a function at all.
    explicit operator bool() const { return static_cast<bool>(callback_); }
    Callback* operator->() const { return callback_.get(); }

  private:
    Ref<Callback> callback_;
};

/// Takes a call back at the end of a scope, however that is left.
class CancelAtExit {
  public:
    explicit CancelAtExit(Handle handle) : handle_(std::move(handle)) {}
    CancelAtExit(const CancelAtExit&) = delete;
    CancelAtExit& operator=(const CancelAtExit&) = delete;
    ~CancelAtExit() { handle_.cancel(); }

  private:
    Handle handle_;
};

} // namespace stage3
