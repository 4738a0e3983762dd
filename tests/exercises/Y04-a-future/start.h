// A future: something that will have happened. And what drives a generator from one
// future to the next.
#pragma once

#include "event_loop.h"
#include "generator.h"

#include <exception>
#include <optional>
#include <utility>

namespace yours {

/// What a future has failed with that was cancelled.
struct Cancelled {};

/// Something that will have happened, or have failed.
class Future {
  public:
    explicit Future(EventLoop& loop) : loop_(loop) {}
    Future(const Future&) = delete;
    Future& operator=(const Future&) = delete;
    virtual ~Future() = default;

    /// Whether it has happened, or failed.
    bool done() const { return done_; }

    /// It has happened. Whoever waits is made ready: nobody runs in here. Of a future
    /// that is done, nothing changes any more.
    void set_result() {}

    /// The same, but it has failed.
    void set_exception(std::exception_ptr error) { (void)error; }

    /// It has failed with Cancelled. False, if it was done before: then nothing changes.
    virtual bool cancel() { return false; }

    /// Throws what it has failed with, each time that somebody asks. If it has happened,
    /// or isn't done yet, there is nothing to throw.
    void throw_if_failed() const {}

    /// `one` is made ready when this is done; at once, if it is. It doesn't run in here.
    void add_waiter(Runnable& one) { (void)one; }

  protected:
    /// What all ends have in common: from now on it's done, with an error or without one
    /// (nullptr), and whoever waits is made ready. If it was done before, nothing
    /// happens.
    void complete(std::exception_ptr error) { (void)error; }

  private:
    [[maybe_unused]] EventLoop& loop_;
    bool done_ = false;
    std::exception_ptr error_;
    RunQueue waiters_;
};

/// A generator that yields the futures it waits for, is sent nothing, and returns a
/// number.
struct Nothing {};
using Waiting = Generator<Future*, Nothing, int>;

/// Lets a generator run from one future to the next. It must live until it's done.
class Driver : private Runnable {
  public:
    /// The generator begins in the loop's next turn, and not in here.
    Driver(EventLoop& loop, Waiting generator) : generator_(std::move(generator)) {
        (void)loop;
    }

    /// Whether the generator has ended.
    bool done() const { return done_; }

    /// What the generator has returned. Nobody asks before it has ended.
    int returned() const { return generator_.returned(); }

  private:
    /// One step: lets the generator go on, until it yields a future or ends. In the first
    /// case, the next step comes when that future is done. What the generator throws
    /// leaves this, and so the loop's turn.
    void run() override {}

    Waiting generator_;
    bool done_ = false;
};

} // namespace yours
