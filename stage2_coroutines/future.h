// A result that isn't there yet.
//
// A coroutine that must wait creates a future, sees to it that somebody will resolve it,
// and yields it. Whoever drives the coroutine asks the future to be told.
//
// This one is a sketch, as small as it can be, and it has the faults of a sketch. They
// are kept on purpose; each has a test that shows it (tests/stage2/future_test.cpp), and
// stage 3 puts them right:
//  - `set_result` calls the callbacks itself, deep inside whatever its caller is doing;
//  - a callback that comes too late, when the future is done, is never called;
//  - the result is always a string;
//  - there can be no exception instead of a result, and no cancellation.
// Told in book/07 (futures and tasks).
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

    /// `callback` will be called when the future is resolved.
    void add_done_callback(Callback callback) {
        callbacks_.push_back(std::move(callback));
    }

    /// Resolves the future, and calls the callbacks, in the order in which they were
    /// added. Throws InvalidState if it is resolved already; what a callback throws comes
    /// out here.
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

/// A future belongs to two: to the coroutine that waits for it, and to whoever will
/// resolve it. Either may be gone before the other.
using FuturePtr = std::shared_ptr<Future>;

// [coroutine]
/// A generator that yields the futures it waits for, and is sent their results.
template <class Return = void>
using Coroutine = Generator<FuturePtr, std::string, Return>;
// [/coroutine]

} // namespace stage2
