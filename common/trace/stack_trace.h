// Where are we, and who called us?
//
// An exception in C++ says what went wrong, and not where: the stack that led to the
// `throw` is gone by the time somebody catches it. So the throw must take a picture of
// the stack first. The book uses such pictures to compare what is left of a story in
// callbacks, in threads and in coroutines. Told in book/04 (what callbacks cost).
#pragma once

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace common {

/// The names of the functions on this thread's stack, the innermost first, from the
/// caller up to main. What the compiler has put inside another function doesn't show, nor
/// does what has no name in the program's table of symbols. Empty on systems without
/// <execinfo.h>. Slow: for errors and demonstrations.
/// Source: man 3 backtrace.
std::vector<std::string> stack_trace();

/// An error with a picture of the stack at its birth.
struct TracedError : std::runtime_error {
    explicit TracedError(const std::string& what,
                         std::source_location at = std::source_location::current());

    std::source_location where;
    std::vector<std::string> stack;
};

/// Fails once, on order: what the programs' `--fail-parsing N` asks for.
class FailOnPurpose {
  public:
    /// The call with this number fails, 1 for the first; 0: none does.
    explicit FailOnPurpose(std::size_t number = 0) : number_(number) {}

    /// Counts a call. Throws TracedError if it is the one, with the caller's place in it.
    void count(std::source_location at = std::source_location::current());

  private:
    std::size_t number_;
    std::size_t counted_ = 0;
};

/// The error as a person reads it, the innermost call last, as Python prints it.
std::string describe(const TracedError& error);

} // namespace common
