// A result that isn't there yet.
//
// A coroutine that must wait creates a future, makes sure that something will resolve it,
// and yields it. The task that drives the coroutine adds a callback to the future.
//
// This one is a sketch, as small as it can be, and has the faults of a sketch. They are
// kept on purpose. Each has a test that shows it (tests/stage2/future_test.cpp), and
// stage 3 cures them:
//  - `set_result` calls the callbacks itself, in the middle of its caller's work;
//  - a callback that is added after the result has arrived is never called;
//  - the result is always a string;
//  - there can be no exception instead of a result, and no cancellation.
// Page 07 of the book.
#pragma once

#include "stage2_coroutines/generator.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stage2 {

/// Thrown when a future is asked for its result too early, or gets one twice.
struct InvalidState : std::logic_error {
    using std::logic_error::logic_error;
};

class Future {
  public:
    using Callback = std::function<void(const Future&)>;

    bool done() const { return result_.has_value(); }

    /// Throws InvalidState if there is none yet.
    const std::string& result() const {
        if (!result_)
            throw InvalidState("the future has no result yet");
        return *result_;
    }

    /// Calls `callback` when the future is resolved.
    void add_done_callback(Callback callback) {
        callbacks_.push_back(std::move(callback));
    }

    /// Resolves the future and calls the callbacks in the order in which they were added.
    /// Throws InvalidState if it is resolved already, and lets out what a callback
    /// throws.
    void set_result(std::string result) {
        if (done())
            throw InvalidState("the future has a result already");
        result_ = std::move(result);
        const std::vector<Callback> callbacks = std::move(callbacks_);
        for (const Callback& callback : callbacks)
            callback(*this);
    }

  private:
    std::optional<std::string> result_;
    std::vector<Callback> callbacks_;
};

/// A future has two owners, the coroutine that waits for it and the callback that will
/// resolve it. Either may be gone before the other.
using FuturePtr = std::shared_ptr<Future>;

// [coroutine]
/// A generator that yields the futures it waits for, and is sent their results.
template <class Return = void>
using Coroutine = Generator<FuturePtr, std::string, Return>;
// [/coroutine]

} // namespace stage2
