// A task: a chain of coroutines that can be asked to end, and the future of its end.
#pragma once

#include "coroutine.h"
#include "future.h"
#include "loop.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace yours {

/// Must live until it's done.
class Task : public Future, private Chain {
  public:
    /// Begins in the loop's next turn.
    Task(EventLoop& loop, Coroutine<> coroutine)
        : Future(loop), Chain(loop, std::move(coroutine)) {}

    /// Asks it to end: Cancelled is thrown where it waits. Returns false if it has
    /// already ended.
    bool cancel() override {
        if (done())
            return false;
        if (awaited() == nullptr || !awaited()->cancel())
            must_cancel_ = true; // no wait to throw at now, so at the next one
        return true;
    }

  private:
    void wait_for(Future& future, std::coroutine_handle<> innermost) override {
        Chain::wait_for(future, innermost);
        if (must_cancel_ && future.cancel()) // it was asked before it came here
            must_cancel_ = false;
    }

    void going_on() override {
        if (std::exchange(must_cancel_, false))
            throw Cancelled();
    }

    void run() override {
        if (must_cancel_ && !begun_) { // then no line of it runs
            complete(std::make_exception_ptr(Cancelled()));
            return;
        }
        begun_ = true;
        Chain::run();
    }

    void ended(std::exception_ptr error) override {
        if (must_cancel_ && !error) // it never came to a wait
            error = std::make_exception_ptr(Cancelled());
        complete(std::move(error));
    }

    bool begun_ = false;
    bool must_cancel_ = false; // at the next wait
};

/// Runs the loop until `task` is done. Throws what that threw.
inline void run_until_complete(Loop& loop, Task& task) {
    while (!task.done())
        loop.turn();
    task.throw_if_failed();
}

} // namespace yours
