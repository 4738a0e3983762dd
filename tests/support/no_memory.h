// Running out of memory on demand.
//
// A test program that is linked with no_memory.cpp has its own `operator new`. While a
// NoMemory of this thread is alive, that fails as it says. (Memory from `malloc` is not
// affected.)
#pragma once

#include <cstddef>

namespace tests {

/// This thread's allocations fail with std::bad_alloc until this object is destroyed.
class NoMemory {
  public:
    struct Options {
        std::size_t at_least = 0; ///< only those of this many bytes or more fail
        int after = 0;            ///< this many succeed first
    };
    explicit NoMemory(Options options);
    NoMemory() : NoMemory(Options{0, 0}) {}
    NoMemory(const NoMemory&) = delete;
    NoMemory& operator=(const NoMemory&) = delete;
    ~NoMemory();
};

} // namespace tests
