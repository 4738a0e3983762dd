// Errors that nothing catches.
//
// An exception that leaves a callback has no caller to go to, only the loop. One that
// ends a task waits there to be retrieved, and perhaps it never is. Neither may vanish,
// and neither may end the program. So each becomes a report, and goes to the loop's
// exception handler.
#pragma once

#include "common/trace/place.h"

#include <exception>
#include <string>
#include <vector>

namespace stage3 {

struct Report {
    std::string message;              ///< what has happened
    std::exception_ptr exception;     ///< may be none
    std::vector<common::Place> chain; ///< the coroutines that it has left, the outermost
                                      ///< first; or where the task waits
};

/// What the exception says: its what(), or that it is something else.
std::string describe(const std::exception_ptr& exception);

/// The report for people to read, in a few lines.
std::string describe(const Report& report);

/// Prints the report on stderr: what a loop does unless it has another handler.
void print(const Report& report) noexcept;
/// The same for what has happened, in a few words, and an exception.
void print(const char* what, const std::exception_ptr& exception) noexcept;

} // namespace stage3
