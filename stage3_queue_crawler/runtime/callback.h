// A function that the loop will call, and a handle to take that back.
#pragma once

#include "stage3_queue_crawler/runtime/run_queue.h"

#include <functional>
#include <memory>
#include <source_location>

namespace stage3 {

class EventLoop;

/// A function on its way to be called.
class Callback final : public Runnable, public std::enable_shared_from_this<Callback> {
  public:
    using Function = std::function<void()>;

    /// `name` and `at` are for traces; `name` must outlive the callback.
    Callback(EventLoop& loop, Function function, const char* name,
             std::source_location at)
        : loop_(loop), function_(std::move(function)), name_(name), at_(at) {}

    /// Puts it into a queue, and keeps it alive there.
    void stand_in(RunQueue& queue) {
        queued_ = shared_from_this();
        queue.push(*this);
    }
    bool queued() const { return queued_ != nullptr; }

    /// Calls the function, unless it was cancelled. What it throws goes to the loop's
    /// exception handler.
    void run() noexcept override;
    void drop() noexcept override { queued_.reset(); }

    void cancel();
    bool cancelled() const { return cancelled_; }

  private:
    EventLoop& loop_;
    Function function_;
    const char* name_;
    std::source_location at_;
    bool cancelled_ = false;
    bool running_ = false;
    std::shared_ptr<Callback> queued_; // this object, while it stands in a queue
};

/// What is returned for a function that will be called. It may outlive the loop.
class Handle {
  public:
    Handle() = default;
    explicit Handle(std::shared_ptr<Callback> callback)
        : callback_(std::move(callback)) {}

    /// The function won't be called, if it has not been called yet, and is destroyed.
    void cancel() {
        if (callback_)
            callback_->cancel();
    }
    bool cancelled() const { return callback_ && callback_->cancelled(); }

  private:
    std::shared_ptr<Callback> callback_;
};

} // namespace stage3
