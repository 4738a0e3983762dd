// Where a chain of coroutines stands.
//
// A debugger shows who called whom by walking the machine's stack. A coroutine that waits
// is not on that stack. But each knows in its frame where it stands and who waits for it,
// so the chain can be walked all the same. Told in book/09 (errors that know where they
// came from).
#pragma once

#include <exception>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stage2 {

// [place]
/// Where one coroutine stands.
struct Place {
    std::source_location function; ///< any place in its function: for the name
    std::source_location line; ///< of the co_yield or co_await that it reached last; the
                               ///< same as `function` if it has reached none
};
// [/place]

/// "Generator<int, int> stage2::count(int)" → "stage2::count".
std::string short_name(std::string_view function_name);

/// The places as a person reads them, a line for each.
std::string describe(const std::vector<Place>& chain);

/// An exception has left a task's coroutine. That exception is nested in this one
/// (std::rethrow_if_nested); `what()` tells the way that it came.
struct TaskFailed : std::runtime_error, std::nested_exception {
    /// Call it in a handler. `chain`: the coroutines that the exception has left, the
    /// outermost first.
    explicit TaskFailed(const std::vector<Place>& chain);
};

/// The failure as a person reads it: the coroutines from the outermost to the innermost,
/// the plain functions that it had called where that is known, and what went wrong.
std::string describe(const TaskFailed& failure);

} // namespace stage2
