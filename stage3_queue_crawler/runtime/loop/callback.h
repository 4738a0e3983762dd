// A function that the loop will call, and a handle to cancel it.
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

/// The name of callbacks that don't appear in traces.
inline constexpr std::string_view not_traced;

/// A function that waits to be called. Handles own it; and while it is in a queue, it
/// owns itself.
class Callback : public Runnable, public Counted {
  public:
    /// How often it may be called.
    enum class Times : std::uint8_t { once, often };

    /// `name` and `at` are for traces; `name` must outlive the callback.
    Callback(EventLoop& loop, Times times, std::string_view name, std::source_location at)
        : loop_(loop), name_(name), at_(at), times_(times) {}

    // For traces: it's called for this descriptor; it is among the timers.
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
    /// It won't be called any more. Lets go of what it holds.
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
    Ref<Callback> queued_; // this object, while it is in a queue
    int fd_ = -1;          // none
    Times times_;
    bool has_timer_ = false;
    bool cancelled_ = false;
    bool running_ = false;
};

/// Adds the function, in the same piece of memory.
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

/// Returned for a function that will be called. It may outlive the loop.
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

    /// True if there is a function at all.
    explicit operator bool() const { return static_cast<bool>(callback_); }
    Callback* operator->() const { return callback_.get(); }

  private:
    Ref<Callback> callback_;
};

/// Cancels a call at the end of a scope, however the scope is left.
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
