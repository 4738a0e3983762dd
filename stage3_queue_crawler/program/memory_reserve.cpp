#include "stage3_queue_crawler/program/memory_reserve.h"

#include "common/system/socket.h"

#include <curl/curl.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace stage3 {
namespace {

// The handler can be given nothing, so what it needs is global. Any thread may call it.
std::atomic<void*> reserve = nullptr;
std::atomic<int> bell = -1; // the end of a pipe
std::atomic<bool> was_used = false;

/// True if there may be more memory now. Allocates nothing, and takes no lock: who runs
/// out of memory may have one.
bool use_reserve() noexcept {
    const int fd = bell.exchange(-1);
    if (fd >= 0) {
        was_used = true;
        const int before = errno;
        static_cast<void>(::write(fd, "!", 1) + 0);
        ::close(fd);
        errno = before;
    }
    void* const memory = reserve.exchange(nullptr);
    std::free(memory); // NOLINT(cppcoreguidelines-no-malloc): it's from malloc
    return memory != nullptr;
}

void on_no_memory() {
    if (!use_reserve())
        throw std::bad_alloc();
}

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
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "no pipe");
    reader_ = common::Socket(ends[0]);
    bell = ends[1];
    for (const int fd : ends)
        common::make_nonblocking(fd);
    was_used = false;
    loop_.add_reader(reader_.fd(), [this, crawl = std::move(crawl)]() mutable {
        loop_.remove_reader(reader_.fd());
        crawl.cancel();
    });
    reserve = std::malloc(size); // NOLINT(cppcoreguidelines-no-malloc): see `use_reserve`
    std::set_new_handler(on_no_memory);
}

// NOLINTNEXTLINE(bugprone-exception-escape): if somebody has closed our pipe
MemoryReserve::~MemoryReserve() {
    std::set_new_handler(nullptr);
    loop_.remove_reader(reader_.fd());
    if (const int fd = bell.exchange(-1); fd >= 0)
        ::close(fd);
    std::free(reserve.exchange(nullptr)); // NOLINT(cppcoreguidelines-no-malloc)
}

bool MemoryReserve::is_used() const { return was_used; }

void init_curl_with_reserve() {
    curl_global_init_mem(CURL_GLOBAL_DEFAULT, c_malloc, std::free, c_realloc, c_strdup,
                         c_calloc);
}

} // namespace stage3
