// The smallest task: it drives a generator from one future to the next.
//
// Stage 2's own is stage2_coroutines/task.h. Page 07 of the book.
#pragma once

#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/generator.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace small {

// [waiting]
/// A generator that yields the futures it waits for, is sent their results, and returns a
/// string.
using Waiting = Generator<FuturePtr, std::string, std::string>;
// [/waiting]

// [task]
class Task {
  public:
    using Done = std::function<void(const std::string& returned)>;

    Task(Waiting coroutine, Done done)
        : coroutine_(std::move(coroutine)), done_(std::move(done)) {
        wait_for(coroutine_.next());
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() = default;

  private:
    void step(const Future& awaited) { wait_for(coroutine_.send(awaited.result())); }

    void wait_for(std::optional<FuturePtr> future) {
        if (future)
            (*future)->add_done_callback(
                [this](const Future& resolved) { step(resolved); });
        else
            done_(coroutine_.returned());
    }

    Waiting coroutine_;
    Done done_;
};
// [/task]

} // namespace small
