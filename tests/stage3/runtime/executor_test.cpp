// Other threads: their results come back to the loop's thread, and nothing else is shared
// by two threads. ThreadSanitizer runs this, too.
#include "stage3_queue_crawler/runtime/executor/executor.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"

#include <atomic>
#include <csignal>
#include <semaphore>
#include <thread>

using namespace stage3;

TEST_CASE("a result comes back from another thread") {
    stage3::run([]() -> Coroutine<> {
        const auto here = std::this_thread::get_id();
        const auto there = co_await run_in_executor(
            stage3::running_loop(), [] { return std::this_thread::get_id(); });
        CHECK(there != here);
        CHECK(std::this_thread::get_id() == here); // still in the loop's thread
        co_await run_in_executor(stage3::running_loop(), [] {}); // a job without a result
        auto job = [held = std::make_unique<int>(7)]() mutable {
            return std::move(held);
        };
        auto pointer = co_await run_in_executor(stage3::running_loop(), std::move(job));
        CHECK(*pointer == 7); // neither the job nor its result can be copied
    }());
}

TEST_CASE("an exception comes back from another thread") {
    const auto fails = []() -> int { throw std::runtime_error("it rains there"); };
    CHECK_THROWS_WITH_AS(stage3::run([](auto job) -> Coroutine<> {
                             co_await run_in_executor(stage3::running_loop(), job);
                         }(fails)),
                         "it rains there", std::runtime_error);
}

TEST_CASE("the loop continues while a thread blocks") {
    stage3::run([]() -> Coroutine<> {
        std::binary_semaphore let_go(0);
        const auto blocked =
            run_in_executor(stage3::running_loop(), [&] { let_go.acquire(); });
        for (int i = 0; i < 100; ++i)
            co_await stage3::next_turn();
        CHECK_FALSE(blocked.done());
        let_go.release();
        co_await blocked;
    }());
}

TEST_CASE("jobs run at the same time, in as many threads as allowed") {
    stage3::LoopOptions options;
    options.threads = 3;
    stage3::run(
        []() -> Coroutine<> {
            std::atomic<int> now = 0;
            std::atomic<int> most = 0;
            std::vector<Future<>> jobs;
            for (int i = 0; i < 12; ++i)
                jobs.push_back(run_in_executor(stage3::running_loop(), [&] {
                    const int running = ++now;
                    for (int seen = most; seen < running;)
                        if (most.compare_exchange_weak(seen, running))
                            break;
                    int waits = 0; // for the others, which come if there are threads
                    do {
                        std::this_thread::sleep_for(5ms);
                    } while (most < 3 && ++waits < 1000);
                    --now;
                }));
            co_await stage3::gather(std::move(jobs));
            CHECK(most == 3);
        }(),
        std::move(options));
}

TEST_CASE("each of a thousand jobs gets its own result") {
    stage3::run([]() -> Coroutine<> {
        std::vector<Future<int>> jobs;
        for (int i = 0; i < 1000; ++i)
            jobs.push_back(
                run_in_executor(stage3::running_loop(), [i] { return 2 * i; }));
        const auto results = co_await stage3::gather(std::move(jobs));
        for (std::size_t i = 0; i < results.size(); ++i)
            REQUIRE(results[i] == 2 * static_cast<int>(i));
    }());
}

TEST_CASE("a cancelled job that has not begun does not begin") {
    stage3::LoopOptions options;
    options.threads = 1;
    std::atomic<bool> ran = false;
    stage3::run(
        [](std::atomic<bool>& flag) -> Coroutine<> {
            std::binary_semaphore let_go(0);
            const auto first =
                run_in_executor(stage3::running_loop(), [&] { let_go.acquire(); });
            auto second = run_in_executor(stage3::running_loop(), [&] { flag = true; });
            CHECK(second.cancel());
            co_await stage3::next_turn();
            let_go.release();
            co_await first;
            // A third job gets its turn after the second.
            co_await run_in_executor(stage3::running_loop(), [] {});
            CHECK(second.cancelled());
        }(ran),
        std::move(options));
    CHECK_FALSE(ran);
}

TEST_CASE("a loop that closes waits for running jobs and drops the others") {
    std::atomic<int> finished = 0;
    auto held = std::make_shared<int>();
    {
        stage3::LoopOptions options;
        options.threads = 1;
        EventLoop loop(std::move(options));
        std::binary_semaphore begun(0);
        const auto first = run_in_executor(loop, [&] {
            begun.release();
            std::this_thread::sleep_for(20ms);
            ++finished;
        });
        std::vector<Future<void>> others; // so many that not all can be done by then
        for (int i = 0; i < 500; ++i)
            others.push_back(run_in_executor(loop, [&, held] {
                std::this_thread::sleep_for(20ms);
                ++finished;
            }));
        begun.acquire();
        loop.close();
        const int done = finished;
        CHECK(done >= 1);
        CHECK(done < 500);
        CHECK(held.use_count() == 1);
        CHECK_FALSE(first.done());
    }
}

namespace {

void wait_until_idle(stage3::ThreadPool& pool) {
    while (pool.is_busy())
        std::this_thread::yield();
}

} // namespace

TEST_CASE("a pool of the caller's outlives the loop") {
    stage3::ThreadPool pool(1);
    std::binary_semaphore begun(0);
    std::binary_semaphore let_go(0);
    std::atomic<int> ended = 0;
    auto held = std::make_shared<int>();
    auto loop = std::make_unique<EventLoop>();
    const auto runs = run_in_executor(*loop, pool, [&, held] {
        begun.release();
        let_go.acquire();
        ++ended;
        return 1;
    });
    const auto waits = run_in_executor(*loop, pool, [&, held] { return ++ended; });
    const auto fails = run_in_executor(
        *loop, pool, [held]() -> int { throw std::runtime_error("it rains there"); });
    begun.acquire();
    SUBCASE("the loop is destroyed first") { loop.reset(); }
    SUBCASE("the loop is closed first") { loop->close(); }
    let_go.release();
    wait_until_idle(pool);
    CHECK(ended >= 1); // whether the others begin is left open
    CHECK(held.use_count() == 1);
    CHECK_FALSE(runs.done());
    CHECK_FALSE(waits.done());
    CHECK_FALSE(fails.done());
}

TEST_CASE("a pool of the caller's that goes first cancels what never began") {
    EventLoop loop;
    std::counting_semaphore<> let_go(0);
    std::atomic<int> began = 0;
    std::vector<Future<>> jobs;
    {
        stage3::ThreadPool pool(1);
        for (int i = 0; i < 100; ++i)
            jobs.push_back(run_in_executor(loop, pool, [&] {
                ++began;
                let_go.acquire();
            }));
        std::atomic<bool> has_ended = false;
        std::thread ends([&] {
            pool.join();
            has_ended = true;
        });
        while (!has_ended) { // only the job that has begun by then must be let go
            let_go.release();
            std::this_thread::yield();
        }
        ends.join();
    }
    for (int i = 0; i < 3; ++i) {
        loop.stop();
        loop.run_forever();
    }
    int finished = 0;
    for (const Future<>& job : jobs) {
        CHECK(job.done());
        if (job.done() && !job.cancelled())
            ++finished;
    }
    CHECK(finished == began);
}

TEST_CASE("a job runs with signals blocked, except those for its own errors") {
    stage3::run([]() -> Coroutine<> {
        const auto job = run_in_executor(stage3::running_loop(), [] {
            sigset_t blocked;
            ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
            return blocked;
        });
        const sigset_t mask = co_await job;
        for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD})
            CHECK(::sigismember(&mask, number) == 1);
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
            CHECK(::sigismember(&mask, number) == 0);
        sigset_t here;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &here);
        CHECK(::sigismember(&here, SIGINT) == 0); // in the loop's thread, they come
    }());
}

TEST_CASE("host names are looked up in a thread") {
    const auto addresses = stage3::run(stage3::getaddrinfo("127.0.0.1", 80));
    REQUIRE(addresses.size() == 1);
    CHECK(addresses[0].family() == AF_INET);
    CHECK_THROWS_AS(stage3::run(stage3::getaddrinfo("no such host", 80)),
                    common::ResolveError);
}
