// A future: something that will happen, so that other code can wait for it.
#pragma once

#include "event_loop.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace yours {

class Task; // from Y05

/// What a cancelled future has failed with.
struct Cancelled {};

/// Something that will happen at some point, or fail to.
class Future {
  public:
    explicit Future(EventLoop& loop) : loop_(loop) {}
    Future(const Future&) = delete;
    Future& operator=(const Future&) = delete;
    virtual ~Future() = default;

    /// Whether it has happened or failed.
    bool done() const { return done_; }

    /// It has happened. All waiters are made ready; nothing runs in here. If the future
    /// is done already, nothing changes.
    void set_result() {}

    /// `one` is made ready when this is done. It doesn't run in here. Not called if the
    /// future is done already.
    void add_waiter(Runnable& one) { (void)one; }

    /// If it isn't done, it fails with Cancelled, and this returns true. If it is,
    /// nothing changes, and this returns false.
    virtual bool cancel() { return false; }

    /// It has failed. It is done from now on, keeps the error, and all waiters are made
    /// ready. Not called if the future is done already.
    void fail(std::exception_ptr error) { (void)error; }

    /// Throws what it has failed with, every time it is called. If it has happened, or
    /// isn't done yet, it throws nothing.
    void throw_if_failed() const {}

  private:
    [[maybe_unused]] EventLoop& loop_;
    bool done_ = false;
    RunQueue waiters_;
    std::exception_ptr error_;
};

/// The awaiter that `co_await future` uses. It belongs to the coroutines of Y04 and the
/// task of Y05. Only its first answer is yours.
class FutureAwaiter {
  public:
    explicit FutureAwaiter(Future& future) : future_(future) {}

    /// May the coroutine go on without being suspended? Yes, if the future is done.
    bool await_ready() const { return false; }

    /// The coroutine is suspended. Its task waits for the future.
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        task_ = frame.promise().task;
        frame.promise().task->wait_for(future_);
    }

    /// The coroutine goes on. You write this in Y05, beside Task.
    void await_resume();

  private:
    [[maybe_unused]] Future& future_;
    Task* task_ = nullptr; // the one that waited, if any
};

inline FutureAwaiter operator co_await(Future& future) { return FutureAwaiter(future); }

} // namespace yours
