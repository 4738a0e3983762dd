#include "tests/support/no_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace tests {
namespace {

constexpr long never = -1;
std::atomic<long> fails_at = never;
std::atomic<bool> fails_later = false;
std::atomic<std::size_t> fails_from = 0; // so many bytes or more
std::atomic<long> asked_for = 0;
std::atomic<long> refused_so_far = 0;
std::atomic<long> living_now = 0;
thread_local int spared = 0;

bool refuse(std::size_t size) noexcept {
    if (fails_at == never || spared > 0 || size < fails_from)
        return false;
    const long number = asked_for++;
    if (number != fails_at && (!fails_later || number < fails_at))
        return false;
    ++refused_so_far;
    return true;
}

// malloc and free, so that the address sanitizer still sees who leaks and who frees
// twice. NOLINTBEGIN(cppcoreguidelines-no-malloc)
void* allocate(std::size_t size, std::size_t alignment = 0) noexcept {
    if (refuse(size))
        return nullptr;
    void* const memory = alignment == 0
                             ? std::malloc(size)
                             : std::aligned_alloc(alignment, (size + alignment - 1)
                                                                 / alignment * alignment);
    if (memory != nullptr)
        ++living_now;
    return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
    if (void* const memory = allocate(size, alignment))
        return memory;
    throw std::bad_alloc();
}

void give_back(void* memory) noexcept {
    if (memory == nullptr)
        return;
    --living_now;
    std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

} // namespace

void fail(long number, Outage outage, std::size_t at_least) noexcept {
    fails_from = at_least;
    asked_for = 0;
    refused_so_far = 0;
    fails_later = outage == Outage::lasting;
    fails_at = number;
}
void memory_is_back() noexcept { fails_at = never; }
long refused() noexcept { return refused_so_far; }
long living() noexcept { return living_now; }

bool memory_is_ours() noexcept {
    // By way of a variable, so that no compiler takes the ones below for what is called:
    // valgrind replaces them when the program runs.
    void* (*volatile const take)(std::size_t) = ::operator new;
    void (*volatile const leave)(void*) noexcept = ::operator delete;
    const long before = living();
    void* const memory = take(1);
    const bool ours = living() > before;
    leave(memory);
    return ours;
}

Spare::Spare() noexcept { ++spared; }
Spare::~Spare() { --spared; }

} // namespace tests

// All of them, or those that are left would be the sanitizer's.
void* operator new(std::size_t size) { return tests::allocate_or_throw(size); }
void* operator new[](std::size_t size) { return tests::allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
    return tests::allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
    return tests::allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return tests::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return tests::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t& /*unused*/) noexcept {
    return tests::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t& /*unused*/) noexcept {
    return tests::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { tests::give_back(memory); }
void operator delete[](void* memory) noexcept { tests::give_back(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    tests::give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
    tests::give_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    tests::give_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
    tests::give_back(memory);
}
void operator delete(void* memory, std::size_t /*size*/,
                     std::align_val_t /*alignment*/) noexcept {
    tests::give_back(memory);
}
void operator delete[](void* memory, std::size_t /*size*/,
                       std::align_val_t /*alignment*/) noexcept {
    tests::give_back(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*unused*/) noexcept {
    tests::give_back(memory);
}
void operator delete[](void* memory, const std::nothrow_t& /*unused*/) noexcept {
    tests::give_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/,
                     const std::nothrow_t& /*unused*/) noexcept {
    tests::give_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/,
                       const std::nothrow_t& /*unused*/) noexcept {
    tests::give_back(memory);
}
