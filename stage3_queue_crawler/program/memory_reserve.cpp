#include "stage3_queue_crawler/program/memory_reserve.h"

#include <curl/curl.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace stage3 {
namespace {

// The handler can be given nothing, so what it needs is global. Any thread may call it.
std::atomic<void*> reserve = nullptr;
std::atomic<bool> is_wanted = false; // somebody wants to hear of it
std::atomic<bool> was_used = false;

/// True if there may be more memory now. It tells the loop by a signal, since that needs
/// neither memory nor a lock: whoever runs out of memory may hold one.
bool use_reserve() noexcept {
    void* const memory = reserve.exchange(nullptr);
    std::free(memory); // NOLINT(cppcoreguidelines-no-malloc): it's from malloc
    if (is_wanted.exchange(false)) {
        was_used = true;
        static_cast<void>(std::raise(SIGUSR1));
    }
    return memory != nullptr;
}

void on_no_memory() {
    if (!use_reserve())
        throw std::bad_alloc();
}

// g++ 14 doesn't know that a realloc that fails leaves the old memory as it was.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuse-after-free"
#endif

// NOLINTBEGIN(cppcoreguidelines-no-malloc): libcurl is C
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

MemoryReserve::MemoryReserve(EventLoop& loop, Task<Ending> crawl, std::size_t size)
    : loop_(loop) {
    loop_.add_signal_handler(SIGUSR1, [crawl = std::move(crawl)]() mutable {
        if (was_used) // else somebody else has sent it
            crawl.cancel();
    });
    was_used = false;
    is_wanted = true;
    reserve = std::malloc(size); // NOLINT(cppcoreguidelines-no-malloc): see `use_reserve`
    std::set_new_handler(on_no_memory);
}

MemoryReserve::~MemoryReserve() {
    std::set_new_handler(nullptr);
    is_wanted = false;
    std::free(reserve.exchange(nullptr)); // NOLINT(cppcoreguidelines-no-malloc)
    loop_.remove_signal_handler(SIGUSR1);
}

bool MemoryReserve::is_used() const { return was_used; }

void init_curl_with_reserve() {
    curl_global_init_mem(CURL_GLOBAL_DEFAULT, c_malloc, std::free, c_realloc, c_strdup,
                         c_calloc);
}

} // namespace stage3
