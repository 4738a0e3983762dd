#include "tests/support/no_memory.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
thread_local std::size_t fails_from = never; // so many bytes or more
thread_local int succeed_first = 0;

void* allocate(std::size_t size) noexcept {
    if (size >= fails_from && succeed_first-- <= 0) {
        succeed_first = 0;
        return nullptr;
    }
    return std::malloc(size == 0 ? 1 : size); // NOLINT(cppcoreguidelines-no-malloc)
}

void release(void* memory) noexcept {
    std::free(memory); // NOLINT(cppcoreguidelines-no-malloc)
}

} // namespace

void* operator new(std::size_t size) {
    if (void* const memory = allocate(size))
        return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*nothrow*/) noexcept {
    return allocate(size);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t& /*nothrow*/) noexcept {
    release(memory);
}

namespace tests {

NoMemory::NoMemory(Options options) {
    fails_from = options.at_least;
    succeed_first = options.after;
}

NoMemory::~NoMemory() { fails_from = never; }

} // namespace tests
