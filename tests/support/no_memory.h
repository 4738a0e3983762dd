// Running out of memory on demand.
//
// A test program that is linked with no_memory.cpp has its own `operator new`, which
// fails as it is told here. (Memory from `malloc` is not affected.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace tests {

/// What fails: one allocation; or that one and all that come after it.
enum class Outage : std::uint8_t { one, lasting };

/// From now on the allocation with this number fails, counted from 0. Those of fewer
/// bytes than `at_least` don't count.
void fail(long number, Outage outage, std::size_t at_least = 0) noexcept;
/// No allocation fails any more.
void memory_is_back() noexcept;
/// How many allocations have failed since `fail`.
long refused() noexcept;
/// How many allocations have not been given back.
long living() noexcept;
/// False if `operator new` isn't ours but valgrind's: then no allocation can fail.
bool memory_is_ours() noexcept;

/// While one exists, what this thread allocates isn't counted, and doesn't fail.
class Spare {
  public:
    Spare() noexcept;
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    ~Spare();
};

/// Allocations fail with std::bad_alloc until this object is destroyed.
class NoMemory {
  public:
    struct Options {
        std::size_t at_least = 0; ///< only those of this many bytes or more fail
        int after = 0;            ///< this many of these succeed first
    };
    explicit NoMemory(Options options) noexcept {
        fail(options.after, Outage::lasting, options.at_least);
    }
    NoMemory() noexcept : NoMemory(Options{0, 0}) {}
    NoMemory(const NoMemory&) = delete;
    NoMemory& operator=(const NoMemory&) = delete;
    ~NoMemory() { memory_is_back(); }
};

} // namespace tests
