// How long has this machine computed for us?
//
// A thread that is busy all the time is the limit of a program, however many others it
// has. On a machine with other programs, it may also wait for a processor, and be as
// much of a limit. So that wait counts as well, where the kernel says how long it was.
// For stage 3's --why-slow; no page covers it.
#pragma once

#include "common/system/socket.h"

#include <chrono>

namespace common {

/// Times that only ever grow.
struct ProcessorTime {
    std::chrono::nanoseconds thread{};  ///< in which it computed, or wanted to
    std::chrono::nanoseconds process{}; ///< in which all its threads computed
};

/// Knows the times of the thread that has made it.
class ProcessorClock {
  public:
    /// Keeps a descriptor, if the kernel has a file for the thread.
    ProcessorClock();

    /// For the thread that has made it.
    ProcessorTime now();

  private:
    std::chrono::nanoseconds wait_for_processor();

    Socket file_; // /proc/thread-self/schedstat, on Linux
    std::chrono::nanoseconds waited_{};
};

} // namespace common
