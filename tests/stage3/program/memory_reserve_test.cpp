// When memory has run out, enough is left to end the crawl and then to write its report.
#include "stage3_queue_crawler/program/memory_reserve.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"

#include <fstream>
#include <list>
#include <new>

#include <sys/resource.h>
#include <unistd.h>

using namespace stage3;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true; // the sanitizer reserves terabytes
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif

constexpr std::size_t megabyte = std::size_t{1} << 20;

/// The address space in use, in bytes, or 0 if the system doesn't say.
std::size_t used_now() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Limits the address space as `ulimit -v` does, until it is destroyed.
class MemoryLimit {
  public:
    explicit MemoryLimit(std::size_t bytes) {
        ::getrlimit(RLIMIT_AS, &before_);
        rlimit now = before_;
        now.rlim_cur = bytes;
        ::setrlimit(RLIMIT_AS, &now);
    }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;
    ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }

  private:
    rlimit before_{};
};

using Body = std::unique_ptr<char[]>; // NOLINT(cppcoreguidelines-avoid-c-arrays)

Body body_of(std::size_t size) {
    return std::make_unique_for_overwrite<
        char[]>( // NOLINT(cppcoreguidelines-avoid-c-arrays)
        size);
}

Coroutine<Ending> endless_crawl() {
    co_await sleep(1h);
    co_return Ending::complete;
}

} // namespace

TEST_CASE("while there is memory, the reserve does nothing") {
    run([]() -> Coroutine<> {
        auto crawl = create_task(running_loop(), endless_crawl(), "crawl");
        const MemoryReserve reserve(running_loop(), crawl);
        co_await sleep(0s);
        CHECK_FALSE(reserve.is_used());
        CHECK_FALSE(crawl.done());
        crawl.cancel();
        CHECK_THROWS_AS(co_await crawl, Cancelled);
    }());
}

TEST_CASE("when memory has run out, small objects still fit, a page's body doesn't, and "
          "the crawl is cancelled"
          * doctest::skip(sanitized || used_now() == 0)) {
    run([]() -> Coroutine<> {
        auto crawl = create_task(running_loop(), endless_crawl(), "crawl");
        co_await sleep(0s); // so that the crawl has begun
        MemoryReserve reserve(running_loop(), crawl);
        std::vector<Body> bodies;
        std::list<std::string> small;
        bool report_fits = true;
        {
            bodies.reserve(1000);
            const MemoryLimit limit(used_now() + 32 * megabyte);
            while (!reserve.is_used() && bodies.size() < 1000) {
                try {
                    bodies.push_back(body_of(megabyte));
                } catch (const std::bad_alloc&) {
                    CHECK(reserve.is_used());
                }
            }
            CHECK(bodies.size() < 40);
            CHECK_THROWS_AS(bodies.push_back(body_of(megabyte)), std::bad_alloc);
            for (int i = 0; i < 2000; ++i)
                small.emplace_back(1000, 'x');
            reserve.crawl_has_ended();
            try {
                bodies.push_back(body_of(4 * megabyte));
            } catch (const std::bad_alloc&) {
                report_fits = false;
            }
        }
        CHECK(small.size() == 2000);
        CHECK(report_fits);
        CHECK_THROWS_AS(co_await crawl, Cancelled);
    }());
}
