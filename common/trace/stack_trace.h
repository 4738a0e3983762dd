// Where are we, and who called us?
//
// An exception in C++ says what went wrong, but not where: the stack that led to the
// `throw` is gone by the time the exception is caught. So the stack has to be recorded at
// the throw. The book compares such records to show what is left of the history in
// callbacks, in threads and in coroutines. Page 04 of the book.
#pragma once

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

namespace common {

/// The names of the functions on this thread's stack, the innermost first, from the
/// caller up to main. Inlined functions don't show, nor do those without a name in the
/// program's symbol table. Empty on systems without <execinfo.h>. Slow, so only for
/// errors and demonstrations.
/// Source: man 3 backtrace.
std::vector<std::string> stack_trace();

/// An error that records the stack at the throw.
struct TracedError : std::runtime_error {
    explicit TracedError(const std::string& what,
                         std::source_location at = std::source_location::current());

    std::source_location where;
    std::vector<std::string> stack;
};

/// Fails once, on request, as the programs' `--fail-parsing N` asks.
class FailOnPurpose {
  public:
    /// The call with this number fails, 1 for the first; 0: none does.
    explicit FailOnPurpose(std::size_t number = 0) : number_(number) {}

    /// Counts a call. If this one is to fail, throws TracedError with the caller's place.
    void count(std::source_location at = std::source_location::current());

  private:
    std::size_t number_;
    std::size_t counted_ = 0;
};

/// The error in readable form, with the innermost call last, as Python prints it.
std::string describe(const TracedError& error);

} // namespace common
