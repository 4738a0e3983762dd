// How many sockets may there be?
//
// The system gives each process a number of descriptors, mostly 1,024, and lets it ask
// for more. A crawler that runs out of them must not call the pages dead that it can't
// reach then: the fault is on this side. So it asks for all that it may have, and then
// keeps to that.
#pragma once

#include <cstddef>

namespace stage3 {

/// Lets this process have as many descriptors as the system permits, and returns how many
/// that is.
/// Source: man 2 getrlimit.
std::size_t allow_descriptors();

} // namespace stage3
