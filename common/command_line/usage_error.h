// What a program throws when it can't make sense of what the user typed.
#pragma once

#include <stdexcept>

namespace common {

/// What the user typed can't be worked with; the message says why, and what to do.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace common
