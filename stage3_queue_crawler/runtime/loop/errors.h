// What the runtime throws.
#pragma once

#include <stdexcept>
#include <string>

namespace stage3 {

/// Thrown at the place where a task waits, when somebody has asked it to end; and by
/// whatever waits for something that was cancelled.
///
/// It is no std::exception, on purpose: `catch (const std::exception&)` around a page
/// says "this page failed, go on with the next", and a task that was told to end must not
/// take that for a failed page. (Python has the same rule: CancelledError is no
/// Exception.)
struct Cancelled {
    std::string message; ///< from whoever cancelled; mostly empty
};

/// Thrown when a future is asked for its result too early, or gets one twice.
struct InvalidState : std::logic_error {
    using std::logic_error::logic_error;
};

/// Thrown by whatever has a time limit, when the time is over.
struct Timeout : std::runtime_error {
    Timeout() : std::runtime_error("the time is over") {}
    using std::runtime_error::runtime_error;
};

/// Thrown when a loop that was closed is asked to do something.
struct LoopClosed : std::logic_error {
    LoopClosed() : std::logic_error("the event loop is closed") {}
};

/// Thrown when a loop is stopped before what it ran for is done. What it ran for is still
/// alive: run the loop again, and it goes on.
struct LoopStopped : std::runtime_error {
    LoopStopped()
        : std::runtime_error("the event loop was stopped before the future was done") {}
};

} // namespace stage3
