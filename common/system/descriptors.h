// How many sockets may there be?
//
// The system gives each process a number of descriptors, mostly 1,024, and lets it ask
// for more. A crawler that runs out of them must not call the pages dead that it can't
// reach then: the fault is on this side. So it asks for all that it may have, and then
// keeps to that.
#pragma once

#include <cstddef>
#include <limits>
#include <system_error>

namespace common {

/// Lets this process have as many descriptors, and so connections, as the system permits,
/// but not more than `most`: sets RLIMIT_NOFILE's soft limit, up to the hard one. Returns
/// the limit that holds then; where it can't be changed, that is the old one.
/// Throws std::system_error. Source: man 2 getrlimit.
std::size_t allow_descriptors(std::size_t most = std::numeric_limits<std::size_t>::max());

/// Where standard input, output or error is closed, opens it so that using it fails. If
/// not, a socket or file that is opened later gets its number, and with it what was meant
/// for the user.
void occupy_standard_descriptors() noexcept;

/// True if it's this process or this machine that has no descriptor left: no fault of the
/// server's, and no reason to call its page dead.
bool no_descriptor_left(const std::error_code& error) noexcept;

} // namespace common
