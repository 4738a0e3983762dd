// A future, which stands for an event that may not have happened yet. And what drives a
// generator from one future to the next.
#pragma once

#include "event_loop.h"
#include "generator.h"

#include <exception>
#include <optional>
#include <utility>

namespace yours {

/// What a cancelled future has failed with.
struct Cancelled {};

/// An event that will happen, or fail to.
class Future {
  public:
    explicit Future(EventLoop& loop) : loop_(loop) {}
    Future(const Future&) = delete;
    Future& operator=(const Future&) = delete;
    virtual ~Future() = default;

    bool done() const { return done_; }

    /// It has happened. Everything that waits is made ready; nothing runs in here. If the
    /// future is done already, nothing changes.
    void set_result() { complete(nullptr); }

    /// The same, but it has failed.
    void set_exception(std::exception_ptr error) { complete(std::move(error)); }

    /// It has failed with Cancelled. Returns false if it was done before.
    virtual bool cancel() {
        if (done_)
            return false;
        complete(std::make_exception_ptr(Cancelled()));
        return true;
    }

    /// Throws what it has failed with, every time it is called.
    void throw_if_failed() const {
        if (error_)
            std::rethrow_exception(error_);
    }

    /// `one` is made ready when this is done, or at once if it is done already.
    void add_waiter(Runnable& one) {
        if (done_)
            loop_.make_ready(one);
        else
            waiters_.push(one);
    }

  protected:
    void complete(std::exception_ptr error) {
        if (done_)
            return;
        done_ = true;
        error_ = std::move(error);
        loop_.make_ready(waiters_);
    }

  private:
    EventLoop& loop_;
    bool done_ = false;
    std::exception_ptr error_;
    RunQueue waiters_;
};

/// A generator that yields the futures it waits for, is sent nothing, and returns a
/// number.
struct Nothing {};
using Waiting = Generator<Future*, Nothing, int>;

/// Runs a generator from one future to the next. Must live until it's done.
class Driver : private Runnable {
  public:
    /// The generator begins in the loop's next turn.
    Driver(EventLoop& loop, Waiting generator) : generator_(std::move(generator)) {
        loop.make_ready(*this);
    }

    bool done() const { return done_; }
    int returned() const { return generator_.returned(); }

  private:
    void run() override {
        const std::optional<Future*> future = generator_.next();
        if (future)
            (*future)->add_waiter(*this);
        else
            done_ = true;
    }

    Waiting generator_;
    bool done_ = false;
};

} // namespace yours
