#include "stage3_queue_crawler/program/memory_reserve.h"

#include <curl/curl.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace stage3 {
namespace {

// Smaller than the blocks that `malloc` takes directly from the system, and than what a
// page's body soon needs.
constexpr std::size_t piece_size = std::size_t{120} * 1024;
using Pieces = std::array<void*, 70>;

// The handler has no parameters, so what it needs is global. Any thread may call it.
Pieces first_half{}; // for the end of the crawl
Pieces second_half{};
std::atomic<bool> is_full = false;   // the first half
std::atomic<bool> is_wanted = false; // the crawl has yet to be cancelled
std::atomic<bool> was_used = false;

// NOLINTBEGIN(cppcoreguidelines-no-malloc): `operator new` would call the handler

void free_all(Pieces& half) noexcept {
    for (void*& piece : half)
        std::free(std::exchange(piece, nullptr));
}

void empty() noexcept {
    if (is_full.exchange(false)) // else a thread may be giving it up
        free_all(first_half);
    free_all(second_half);
}

/// The halves alternate: `free` joins neighbours into one block, which would fit a body.
void fill() {
    for (std::size_t i = 0; i < first_half.size(); ++i) {
        first_half[i] = std::malloc(piece_size);
        second_half[i] = std::malloc(piece_size);
    }
    is_full = true;
    if (second_half.back() == nullptr) {
        empty();
        throw std::bad_alloc();
    }
}

/// True if there may be more memory now. It notifies the loop by a signal, which needs
/// neither memory nor a lock: the thread that runs out of memory may hold one.
bool use_reserve() noexcept {
    const bool is_first = is_full.exchange(false);
    if (is_first)
        free_all(first_half);
    if (is_wanted.exchange(false)) {
        was_used = true;
        static_cast<void>(std::raise(SIGUSR1));
    }
    return is_first;
}

void on_no_memory() {
    if (!use_reserve())
        throw std::bad_alloc();
}

// g++ 14 doesn't know that a realloc that fails leaves the old memory as it was.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuse-after-free"
#endif

template <class Allocate>
void* allocate(Allocate attempt) {
    void* memory = attempt();
    while (memory == nullptr && use_reserve())
        memory = attempt();
    return memory;
}

void* c_malloc(std::size_t size) {
    return allocate([=] { return std::malloc(size); });
}
void* c_calloc(std::size_t count, std::size_t size) {
    return allocate([=] { return std::calloc(count, size); });
}
void* c_realloc(void* old, std::size_t size) {
    return allocate([=] { return std::realloc(old, size); });
}
char* c_strdup(const char* text) {
    return static_cast<char*>(allocate([=] { return ::strdup(text); }));
}
// NOLINTEND(cppcoreguidelines-no-malloc)

} // namespace

MemoryReserve::MemoryReserve(EventLoop& loop, Task<Ending> crawl) : loop_(loop) {
    loop_.add_signal_handler(SIGUSR1, [crawl = std::move(crawl)]() mutable {
        if (was_used) // otherwise another program has sent it
            crawl.cancel();
    });
    try {
        fill();
    } catch (const std::bad_alloc&) {
        loop_.remove_signal_handler(SIGUSR1);
        throw;
    }
    was_used = false;
    is_wanted = true;
    std::set_new_handler(on_no_memory);
}

MemoryReserve::~MemoryReserve() {
    std::set_new_handler(nullptr);
    is_wanted = false;
    empty();
    loop_.remove_signal_handler(SIGUSR1);
}

void MemoryReserve::crawl_has_ended() { free_all(second_half); }

bool MemoryReserve::is_used() const { return was_used; }

void init_curl_with_reserve() {
    curl_global_init_mem(CURL_GLOBAL_DEFAULT, c_malloc, std::free, c_realloc, c_strdup,
                         c_calloc);
}

} // namespace stage3
