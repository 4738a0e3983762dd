// start fails in: a piece fails
// start fails with: nobody has asked them to end
#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

using namespace std::chrono_literals;
using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;
using tests::Rain;

namespace {

constexpr std::string_view content = "all that is in the file";
constexpr std::size_t no_piece = 1000;

/// A server. Its n-th piece, from 1 on, takes n seconds, and 100 ms more to clean up when
/// it's cancelled; one of them fails instead.
struct Server {
    LoopTest& test;
    std::size_t fails = no_piece; // the piece that begins here
    int begun = 0;
    int running = 0;
    int asked = 0;

    FetchPiece fetch_piece() {
        return [this](std::size_t begin, std::span<char> target) {
            return fetch(*this, begin, target);
        };
    }
    static Coroutine<> fetch(Server& server, std::size_t begin, std::span<char> target) {
        ++server.running;
        const int number = ++server.begun;
        bool cancelled = false;
        try {
            co_await stage3::sleep(number * 1s);
        } catch (const Cancelled&) {
            cancelled = true;
        }
        if (cancelled) {
            ++server.asked;
            co_await stage3::sleep(100ms);
            --server.running;
            throw Cancelled{};
        }
        --server.running;
        if (begin == server.fails)
            throw Rain();
        std::ranges::copy(content.substr(begin, target.size()), target.begin());
    }

    /// After the download: nothing may be left.
    void check_end() {
        const int left = running;
        test.turns(2);
        REQUIRE_MESSAGE((left == 0 || asked > 0),
                        left << " pieces are still being fetched, and nobody has asked "
                                "them to end: they write to memory that is gone.");
        CHECK_MESSAGE(
            left == 0,
            left << " pieces were cancelled, and not waited for: they still clean up.");
    }
};

} // namespace

TEST_CASE_FIXTURE(LoopTest, "the pieces make the file") {
    Server server{*this};
    CHECK(run(download(content.size(), 5, server.fetch_piece())) == content);
    CHECK_MESSAGE(elapsed() == 5000, "five pieces, of which the last takes five seconds, "
                                     "took longer: they are to be fetched at once.");
    CHECK(run(download(0, 5, server.fetch_piece())).empty());
}

TEST_CASE_FIXTURE(LoopTest, "a piece fails") {
    Server server{*this, 5};
    bool thrown = false;
    try {
        run(download(content.size(), 5, server.fetch_piece()));
    } catch (const Rain&) {
        thrown = true;
    }
    CHECK_MESSAGE(thrown, "a piece has failed, and download has not: what the piece has "
                          "thrown should have been thrown.");
    server.check_end();
    CHECK_MESSAGE(elapsed() < 2500, "the second piece failed after two seconds: there is "
                                    "no reason to wait for the others' bytes.");
}

TEST_CASE_FIXTURE(LoopTest, "the last piece fails first") {
    Server server{*this, 20};
    server.begun = -5; // all others take no time at all
    CHECK_THROWS_AS(run(download(content.size(), 5, server.fetch_piece())), Rain);
    server.check_end();
}

TEST_CASE_FIXTURE(LoopTest, "cancelled") {
    Server server{*this};
    Task<std::string> waiter = task(download(content.size(), 5, server.fetch_piece()));
    loop.call_later(1500ms, [&] { waiter.cancel(); });
    loop.call_later(1550ms, [&] { waiter.cancel(); }); // somebody is in a hurry
    bool cancelled = false;
    int left = 0;
    waiter.add_done_callback([&](const auto&) { left = server.running; });
    try {
        stage3::run_until_complete<std::string>(loop, waiter);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    CHECK_MESSAGE(cancelled, "the request was swallowed: it must be thrown on.");
    CHECK_MESSAGE(left == 0, "whoever waited was cancelled, and "
                                 << left
                                 << " pieces were still there when it had ended.");
}
