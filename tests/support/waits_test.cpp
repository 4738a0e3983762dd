// Which waits are counted. (Nothing is, where the linker can't replace what waits.)
#include "common/system/selector.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"
#include "tests/support/waits.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

/// What is counted while `action` runs.
std::chrono::milliseconds counted(const std::function<void()>& action) {
    const auto before = tests::waits().waited;
    action();
    return std::chrono::round<std::chrono::milliseconds>(tests::waits().waited - before);
}

} // namespace

TEST_CASE("a wait counts if it ends by time, in any thread and by any means") {
    if (!tests::waits_are_counted())
        return;
    tests::may_wait(5s, "the waits are what is tested");
    CHECK(counted([] { std::this_thread::sleep_for(30ms); }) == 30ms);
    CHECK(counted([] { std::thread([] { std::this_thread::sleep_for(30ms); }).join(); })
          == 30ms);
    for (const std::string_view name : common::selector_names())
        CHECK(counted([&] { common::make_selector(std::string(name))->select(30ms); })
              == 30ms);
    // Here the end is fixed before the wait begins. So on a slow machine less is counted,
    // or nothing.
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const auto no = [] { return false; };
    const auto check_that_one_counts = [](const std::function<void()>& wait) {
        std::chrono::milliseconds most{};
        for (int i = 0; i < 20 && most == 0ms; ++i)
            most = counted(wait);
        CHECK(most > 0ms);
        CHECK(most <= 100ms);
    };
    check_that_one_counts([&] { never.wait_for(lock, 100ms, no); });
    check_that_one_counts(
        [&] { never.wait_until(lock, std::chrono::system_clock::now() + 100ms, no); });
}

TEST_CASE("a short wait doesn't count, nor does one that an event ends") {
    CHECK(counted([] { std::this_thread::sleep_for(19ms); }) == 0ms);
    CHECK(counted([] {
              tests::SocketPair pair;
              std::error_code error;
              pair.far.send("x", error);
              const auto selector = common::make_selector();
              selector->register_fd(pair.near.fd(), common::Events::read, 0);
              CHECK(selector->select(10s).size() == 1);
          })
          == 0ms);
}

TEST_CASE("a declared wait is no fault") {
    tests::may_wait(100ms, "that is what is tested");
    std::this_thread::sleep_for(550ms);
}

TEST_CASE("an undeclared wait fails its case" * doctest::skip()) {
    REQUIRE(tests::waits_are_counted());
    std::this_thread::sleep_for(550ms);
}
