#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Task;
using tests::LoopTest;
using tests::Rain;

namespace {

constexpr std::string_view content = "all that is in the file";
constexpr std::size_t no_piece = 1000;

/// A server. Its n-th piece, counted from 1, takes n seconds, and another 100 ms to
/// clean up if it's cancelled; one of them fails instead.
struct Server {
    LoopTest& test;
    std::size_t fails = no_piece; // the first byte of that piece
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
                        left << " pieces are still being fetched, and nothing has asked "
                                "them to end: they write to memory that is gone.");
        CHECK_MESSAGE(left == 0, left << " pieces were cancelled, and not waited for: "
                                         "they are still cleaning up.");
    }
};

} // namespace

TEST_CASE_FIXTURE(LoopTest, "the pieces make up the file") {
    Server server{*this};
    CHECK(run(download(content.size(), 5, server.fetch_piece())) == content);
    CHECK_MESSAGE(elapsed() == 5000,
                  "five pieces, of which the last takes five seconds, took longer: all "
                  "of them should be fetched at once.");
    CHECK(run(download(0, 5, server.fetch_piece())).empty());
}

TEST_CASE_FIXTURE(LoopTest, "a piece that fails ends the download") {
    Server server{*this, 5};
    bool thrown = false;
    try {
        run(download(content.size(), 5, server.fetch_piece()));
    } catch (const Rain&) {
        thrown = true;
    }
    CHECK_MESSAGE(thrown, "a piece has failed, and download has not: it should have "
                          "thrown what the piece threw.");
    server.check_end();
    CHECK_MESSAGE(elapsed() < 2500, "the second piece failed after two seconds: there is "
                                    "no reason to wait for the others' bytes.");
}

TEST_CASE_FIXTURE(LoopTest, "the download fails when its last piece fails first") {
    Server server{*this, 20};
    server.begun = -5; // all the others take no time at all
    CHECK_THROWS_AS(run(download(content.size(), 5, server.fetch_piece())), Rain);
    server.check_end();
}

TEST_CASE_FIXTURE(LoopTest, "a cancelled download cancels all its pieces") {
    Server server{*this};
    Task<std::string> waiter = task(download(content.size(), 5, server.fetch_piece()));
    loop.call_later(1500ms, [&] { waiter.cancel(); });
    loop.call_later(1550ms, [&] { waiter.cancel(); }); // the user is in a hurry
    bool cancelled = false;
    int left = 0;
    waiter.add_done_callback([&](const auto&) { left = server.running; });
    try {
        stage3::run_until_complete<std::string>(loop, waiter);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    CHECK_MESSAGE(cancelled, "the request was swallowed: it must be rethrown.");
    CHECK_MESSAGE(left == 0, "the waiting task was cancelled, and "
                                 << left
                                 << " pieces were still there when it had ended.");
}
