// A future, which stands for an event that may not have happened yet; and a Driver, which
// moves a generator from one future to the next.
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

    /// Whether it has happened or failed.
    bool done() const { return done_; }

    /// It has happened. All waiters are made ready; nothing runs in here. If the future
    /// is done already, nothing changes.
    void set_result() {}

    /// The same, but it has failed.
    void set_exception(std::exception_ptr error) { (void)error; }

    /// It has failed with Cancelled. Returns false if it was done before; then nothing
    /// changes.
    virtual bool cancel() { return false; }

    /// Throws what it has failed with, every time it is called. If it has happened, or
    /// isn't done yet, it throws nothing.
    void throw_if_failed() const {}

    /// `one` is made ready when this is done, or at once if it is done already. It
    /// doesn't run in here.
    void add_waiter(Runnable& one) { (void)one; }

  protected:
    /// What all endings have in common: from now on it's done, with an error or without
    /// one (nullptr), and all waiters are made ready. If it was done before, nothing
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

/// Runs a generator from one future to the next. Must live until it's done.
class Driver : private Runnable {
  public:
    /// The generator begins in the loop's next turn, and not in here.
    Driver(EventLoop& loop, Waiting generator) : generator_(std::move(generator)) {
        (void)loop;
    }

    /// Whether the generator has ended.
    bool done() const { return done_; }

    /// What the generator has returned. Not called before it has ended.
    int returned() const { return generator_.returned(); }

  private:
    /// One step: resumes the generator until it yields a future or ends. If it yields a
    /// future, the next step comes when that is done. What the generator throws leaves
    /// this function, and so the loop's turn.
    void run() override {}

    Waiting generator_;
    bool done_ = false;
};

} // namespace yours
