// What the runtime throws.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace stage3 {

/// Thrown at the place where a task waits, when it has been asked to end; and by any wait
/// for something that was cancelled.
///
/// It is deliberately not a std::exception: `catch (const std::exception&)` around a page
/// says "this page failed, try the next one", and a task that was asked to end must not
/// mistake that for a failed page. (Python has the same rule: CancelledError is not an
/// Exception.)
///
/// Copying it never throws: without memory, the copy has no message.
struct Cancelled {
    Cancelled() = default;
    explicit Cancelled(std::string text) noexcept : message(std::move(text)) {}
    Cancelled(const Cancelled& other) noexcept { *this = other; }
    Cancelled(Cancelled&&) noexcept = default;
    Cancelled& operator=(const Cancelled& other) noexcept;
    Cancelled& operator=(Cancelled&&) noexcept = default;
    ~Cancelled() = default;

    std::string message; ///< from the code that cancelled; usually empty
};

/// Thrown when a future is asked for its result too early, or gets one twice.
struct InvalidState : std::logic_error {
    using std::logic_error::logic_error;
};

/// Thrown by anything with a time limit, when the time is up.
struct Timeout : std::runtime_error {
    Timeout() : std::runtime_error("the time is over") {}
    using std::runtime_error::runtime_error;
};

/// Thrown when a closed loop is asked to do something.
struct LoopClosed : std::logic_error {
    LoopClosed() : std::logic_error("the event loop is closed") {}
};

/// Thrown when a loop is stopped before the future that it ran for is done. The future is
/// still alive: run the loop again, and the work continues.
struct LoopStopped : std::runtime_error {
    LoopStopped()
        : std::runtime_error("the event loop was stopped before the future was done") {}
};

} // namespace stage3
