// The smallest future that runs no waiter inside `set_result`.
//
// The real one is runtime/task/future.h. Pages 10 and 11 of the book.
#pragma once

#include "stage3_queue_crawler/small/event_loop.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace stage3::small {

class Task;

/// Thrown into a task that has been asked to end, at the place where it waits.
struct Cancelled {};

// [future]
/// Something that will happen at some point. With a value, it would be a template.
class Future {
  public:
    explicit Future(EventLoop& loop) : loop_(loop) {}
    Future(const Future&) = delete;
    Future& operator=(const Future&) = delete;
    virtual ~Future() = default;

    bool done() const { return done_; }

    /// It has happened: its waiters are made ready, and run when the loop gets to
    /// them.
    void set_result() {
        if (!done_)
            complete();
    }

    /// `one` will be made ready when this is done, which it must not be yet.
    void add_waiter(Runnable& one) { waiters_.push(one); }

    // [future-cancel]
    /// Throws Cancelled into the tasks that wait. False if it's too late for that.
    virtual bool cancel() {
        if (done_)
            return false;
        fail(std::make_exception_ptr(Cancelled()));
        return true;
    }

    /// It has failed: throws `error` into the tasks that wait. Must not be done yet.
    void fail(std::exception_ptr error) {
        error_ = std::move(error);
        complete();
    }

    void throw_if_failed() const {
        if (error_)
            std::rethrow_exception(error_);
    }
    // [/future-cancel]

  private:
    void complete() {
        done_ = true;
        loop_.make_ready(waiters_);
    }

    EventLoop& loop_;
    bool done_ = false;
    RunQueue waiters_;
    std::exception_ptr error_; // set if it has failed
};
// [/future]

// [future-awaiter]
/// The awaiter that `co_await future` uses.
class FutureAwaiter {
  public:
    explicit FutureAwaiter(Future& future) : future_(future) {}

    bool await_ready() const { return future_.done(); }

    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        task_ = frame.promise().task;
        frame.promise().task->wait_for(future_); // Task is defined later, in task.h
    }

    void await_resume();

  private:
    Future& future_;
    Task* task_ = nullptr; // the one that waited, if any
};

inline FutureAwaiter operator co_await(Future& future) { return FutureAwaiter(future); }
// [/future-awaiter]

} // namespace stage3::small
