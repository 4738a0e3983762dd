#include "exercise.h"
#include "tests/support/prelude.h"

#include <deque>

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Task;

namespace {

constexpr std::string_view content = "all that is in the file";

struct Rain : std::runtime_error {
    Rain() : std::runtime_error("it rains") {}
};

/// A piece that is being fetched, and what the test does with it.
struct Piece {
    explicit Piece(EventLoop& loop) : arrives(loop), goodbye(loop) {}

    Future arrives; // its bytes
    bool fails = false;
    bool was_asked =
        false; // to end; then it says goodbye to its server, which takes time
    Future goodbye;
    bool has_ended = false;
};

/// A server, and a download from it.
struct Download {
    explicit Download(std::size_t size = content.size())
        : task(loop, keep(download(loop, size, 5, fetch_piece()))) {
        turn();
    }

    Coroutine<> keep(Coroutine<std::string> of) { file = co_await std::move(of); }

    FetchPiece fetch_piece() {
        return [this](std::size_t begin, std::span<char> target) {
            return fetch(*this, begin, target);
        };
    }
    static Coroutine<> fetch(Download& test, std::size_t begin, std::span<char> target) {
        Piece& piece = test.pieces.emplace_back(test.loop);
        try {
            co_await piece.arrives;
        } catch (const Cancelled&) {
            piece.was_asked = true;
        }
        if (piece.was_asked)
            co_await piece.goodbye;
        piece.has_ended = true;
        if (piece.was_asked)
            throw Cancelled();
        if (piece.fails)
            throw Rain();
        std::ranges::copy(content.substr(begin, target.size()), target.begin());
    }

    std::size_t running() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            pieces, [](const Piece& piece) { return !piece.has_ended; }));
    }
    std::size_t asked() const {
        return static_cast<std::size_t>(std::ranges::count_if(
            pieces, [](const Piece& piece) { return piece.was_asked; }));
    }

    /// Some turns of the loop. Once the download has ended, no piece may be left: the
    /// next turn could run one that is gone.
    void turn() {
        for (int i = 0; i < 6; ++i) {
            loop.turn(0ms);
            if (task.done())
                REQUIRE_MESSAGE(running() == 0, what_is_left());
        }
    }
    std::string what_is_left() const {
        // A piece that is asked to end has its future cancelled, even if it never runs
        // again.
        const bool asked_some = std::ranges::any_of(pieces, [](const Piece& piece) {
            return !piece.has_ended && piece.arrives.done();
        });
        return "download has ended, and " + std::to_string(running()) + " pieces "
               + (asked_some ? "were asked to end, and not waited for: they still use "
                               "memory that is gone."
                             : "are still being fetched, and nothing has asked them to "
                               "end: they write to memory that is gone.");
    }

    void arrives(std::size_t number) {
        pieces.at(number).arrives.set_result();
        turn();
    }
    void fails(std::size_t number) {
        pieces.at(number).fails = true;
        arrives(number);
    }
    void cancel() {
        task.cancel();
        turn();
    }
    void say_goodbye() {
        for (Piece& piece : pieces)
            if (piece.was_asked)
                piece.goodbye.set_result();
        turn();
    }
    std::string end() const {
        if (!task.done())
            return "it still waits";
        try {
            task.throw_if_failed();
            return "it has returned";
        } catch (const Cancelled&) {
            return "cancelled";
        } catch (const Rain&) {
            return "it rains";
        }
    }

    EventLoop loop;
    std::deque<Piece> pieces;
    std::string file;
    Task task;
};

void check_that_failure_ends_it(std::size_t number) {
    Download test;
    REQUIRE(test.pieces.size() == 5);
    test.fails(number);
    CHECK_MESSAGE(test.asked() == 4,
                  "a piece has failed, and the others are still being fetched: there is "
                  "no reason to wait for their bytes.");
    test.say_goodbye();
    for (std::size_t i = 0; i < 5; ++i)
        if (!test.pieces.at(i).has_ended)
            test.arrives(i);
    CHECK_MESSAGE(test.end() == "it rains",
                  "a piece has failed, and download should have thrown what the piece "
                  "threw. Instead: "
                      << test.end());
}

} // namespace

TEST_CASE("the pieces make up the file") {
    Download test;
    REQUIRE_MESSAGE(
        test.pieces.size() == 5,
        "five pieces should be fetched at the same time. Yours: " << test.pieces.size());
    for (std::size_t number = 5; number > 0; --number)
        test.arrives(number - 1);
    REQUIRE_MESSAGE(test.end() == "it has returned", test.end());
    CHECK(test.file == content);
    Download none(0);
    CHECK(none.end() == "it has returned");
}

TEST_CASE("a piece that fails ends the download") { check_that_failure_ends_it(0); }

TEST_CASE("the download fails when its last piece fails first") {
    check_that_failure_ends_it(4);
}

TEST_CASE("a download that is asked to end asks all its pieces") {
    Download test;
    REQUIRE(test.pieces.size() == 5);
    test.cancel();
    CHECK_MESSAGE(test.asked() == 5, "download was asked to end, and "
                                         << 5 - test.asked()
                                         << " pieces have heard nothing of it.");
    test.say_goodbye();
    CHECK_MESSAGE(
        test.end() == "cancelled",
        "the request was swallowed: Cancelled must be thrown. Instead: " << test.end());
}
