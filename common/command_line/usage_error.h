// What a program throws when it can't understand what the user typed.
#pragma once

#include <stdexcept>

namespace common {

/// The command line is wrong; the message says why, and what to do.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace common
