// Reading and writing on a connection that has the test at its other end.
#include "common/system/descriptors.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/no_memory.h"
#include "tests/support/prelude.h"

#include <random>

#include <fcntl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace stage3;

namespace {

/// Two ends of a connection: the stream's and the test's.
struct Pair {
    Pair() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                             ends.data())
                == 0);
        ours = common::Socket(ends[0]);
        theirs = common::Socket(ends[1]);
    }

    /// Sends all of it. There must be room.
    void send(std::string_view bytes) {
        std::error_code error;
        CHECK(theirs.send(bytes, error) == bytes.size());
    }
    /// What has arrived at the test's end.
    std::string receive() {
        std::string all;
        std::vector<char> buffer(100'000);
        for (;;) {
            std::error_code error;
            const std::size_t count = theirs.receive(buffer, error);
            if (count == 0)
                return all;
            all.append(buffer.data(), count);
        }
    }

    common::Socket ours, theirs;
};

/// More than fits into a socket's buffers.
const std::string much(std::size_t{10} * 1000 * 1000, 'x');

/// The result of a read, or the reason why there is none.
template <class Read>
Coroutine<std::string> result_of(Read read) {
    std::string result;
    try {
        result = co_await read();
    } catch (const EndOfStream& end) {
        result = "end after " + std::to_string(end.received);
    } catch (const LimitExceeded&) {
        result = "too long";
    } catch (const std::system_error& error) {
        result = error.code().message();
    }
    co_return result;
}

Coroutine<std::string> line(Stream& stream, std::size_t most = 1000) {
    return result_of([&stream, most] { return stream.read_until("\r\n", most); });
}

Coroutine<std::string> drain(Stream& stream) {
    co_await stream.drain();
    co_return std::string("drained");
}

Coroutine<std::string> drained(Stream& stream) {
    return result_of([&stream] { return drain(stream); });
}

/// How often a loop has looked at its clock, as it does in each turn with a timer.
int clock_calls = 0; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Runs a test with a stream on one end of a pair.
void with_stream(Coroutine<> (*test)(Stream&, Pair&), StreamLimits limits = {}) {
    Pair pair;
    stage3::LoopOptions options;
    options.clock = [] {
        ++clock_calls;
        return std::chrono::steady_clock::now();
    };
    stage3::run(
        [](Pair& both, Coroutine<> (*body)(Stream&, Pair&),
           StreamLimits how) -> Coroutine<> {
            Stream stream(stage3::running_loop(), std::move(both.ours), how);
            co_await body(stream, both);
        }(pair, test, limits),
        std::move(options));
}

} // namespace

TEST_CASE("read_until returns the text with its end and keeps the rest") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("one\r\ntwo\r\n\r\nthr");
        for (const char* expected : {"one\r\n", "two\r\n", "\r\n"}) {
            const std::string got = co_await line(stream);
            CHECK(got == expected);
        }
        const auto waiting = stage3::create_task(line(stream));
        co_await stage3::sleep(5ms);
        CHECK_FALSE(waiting.done());
        for (const char* piece : {"e", "\r", "\r", "\n", "x"}) { // one \r isn't the end
            pair.send(piece);
            co_await stage3::sleep(1ms);
        }
        CHECK(waiting.result() == "thre\r\r\n");
        pair.theirs.close();
        const std::string rest = co_await line(stream);
        CHECK(rest == "end after 1");
        CHECK_FALSE(stream.at_end());
        const std::string last = co_await stream.read_some(10);
        CHECK(last == "x"); // the failed read has lost nothing
        CHECK(stream.at_end());
        const std::string nothing = co_await stream.read_some(10);
        CHECK(nothing.empty());
    });
}

TEST_CASE("read_until reads no more than allowed") {
    with_stream(
        [](Stream& stream, Pair& pair) -> Coroutine<> {
            pair.send("123456\r\n");
            std::string got = co_await line(stream, 8);
            CHECK(got == "123456\r\n");
            pair.send("1234567\r\n");
            got = co_await line(stream, 8);
            CHECK(got == "too long");
            got = co_await line(stream, 9); // the failed read has lost nothing
            CHECK(got == "1234567\r\n");
            pair.send("12345678"); // the end can no longer come in time
            got = co_await line(stream, 8);
            CHECK(got == "too long");
            pair.send(std::string(30, 'x')); // more than is read ahead
            got = co_await line(stream, 1000);
            CHECK(got == "too long");
        },
        {.read_ahead = 20});
}

TEST_CASE("read_exactly reads a given number of bytes, even more than is read ahead") {
    with_stream(
        [](Stream& stream, Pair& pair) -> Coroutine<> {
            std::string text;
            for (int i = 0; i < 1000; ++i)
                text += std::to_string(i) + ' ';
            pair.send(text);
            std::string got = co_await stream.read_exactly(5);
            CHECK(got == text.substr(0, 5));
            got = co_await stream.read_exactly(0);
            CHECK(got.empty());
            got = co_await stream.read_exactly(text.size() - 5);
            CHECK(got == text.substr(5));
            pair.send("abc");
            pair.theirs.close();
            got = co_await result_of([&stream] { return stream.read_exactly(4); });
            CHECK(got == "end after 3");
        },
        {.read_ahead = 100});
}

TEST_CASE("peek returns the next byte without taking it") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        const auto waiting = stage3::create_task(stream.peek());
        co_await stage3::sleep(5ms);
        CHECK_FALSE(waiting.done());
        pair.send("ab");
        const char first = co_await waiting;
        CHECK(first == 'a');
        for (const char expected : {'a', 'b'}) {
            const char next = co_await stream.peek();
            CHECK(next == expected);
            const std::string read = co_await stream.read_some(1);
            CHECK(read == std::string(1, expected));
        }
        pair.theirs.close();
        bool has_ended = false;
        try {
            co_await stream.peek();
        } catch (const EndOfStream& end) {
            has_ended = end.received == 0;
        }
        CHECK(has_ended);
    });
}

TEST_CASE("an unread stream doesn't listen without end") {
    with_stream(
        [](Stream& stream, Pair& pair) -> Coroutine<> {
            const auto first = stage3::create_task(stream.read_some(1));
            co_await stage3::sleep(1ms); // so that the stream listens
            pair.send("x");
            const std::string x = co_await first;
            CHECK(x == "x");
            std::size_t sent = 0; // from now on, the stream isn't read
            for (int i = 0; i < 200; ++i) {
                std::error_code error;
                sent += pair.theirs.send(std::string(10'000, 'y'), error);
                co_await stage3::next_turn();
            }
            CHECK(sent < 2'000'000); // their end is full
            const int before = clock_calls;
            co_await stage3::sleep(100ms);
            CHECK(clock_calls - before < 20); // the loop has slept
            const std::string all = co_await stream.read_exactly(sent);
            CHECK(all == std::string(sent, 'y'));
        },
        {.read_ahead = 1000});
}

TEST_CASE("write and drain deliver everything in order, however slowly it's read") {
    with_stream(
        [](Stream& stream, Pair& pair) -> Coroutine<> {
            // NOLINTNEXTLINE(cert-msc32-c,cert-msc51-cpp): the same sequence each time
            std::mt19937 chance(1);
            std::string sent;
            std::size_t most_left = 0;
            const auto writing = stage3::create_task(
                [](Stream& out, std::mt19937& random, std::string& all,
                   std::size_t& left) -> Coroutine<> {
                    for (int i = 0; i < 300; ++i) {
                        std::string piece(random() % 20'000, ' ');
                        for (char& c : piece)
                            c = static_cast<char>(random());
                        all += piece;
                        out.write(piece);
                        co_await out.drain();
                        CHECK(out.unsent() <= 10'000);
                        left = std::max(left, out.unsent());
                    }
                    co_await out.flush();
                    CHECK(out.unsent() == 0);
                    out.finish_writing();
                }(stream, chance, sent, most_left));
            std::string received;
            while (!writing.done()) {
                received += pair.receive();
                co_await stage3::next_turn();
            }
            writing.result();
            received += pair.receive();
            CHECK(received.size() == sent.size());
            CHECK((received == sent));
            CHECK(most_left > 0); // drain doesn't wait for the last byte
            std::array<char, 1> byte{};
            std::error_code error;
            CHECK(pair.theirs.receive(byte, error) == 0);
            CHECK_FALSE(error); // it is the end, not just a lack of bytes
        },
        {.unsent = 10'000});
}

TEST_CASE("drain waits until little is left, and not for the last byte") {
    with_stream(
        [](Stream& stream, Pair& pair) -> Coroutine<> {
            stream.write(much);
            const auto draining = stage3::create_task(drained(stream));
            std::vector<char> buffer(50'000);
            std::error_code error;
            while (!draining.done()) {
                pair.theirs.receive(buffer, error);
                co_await stage3::next_turn();
            }
            CHECK(stream.unsent() > 0);
            CHECK(stream.unsent() <= 1'000'000);
        },
        {.unsent = 1'000'000});
}

TEST_CASE("drain waits while the peer doesn't read, and reports when it never will") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        stream.write(much);
        CHECK(stream.unsent() > 0);
        auto draining = stage3::create_task(drained(stream));
        co_await stage3::sleep(5ms);
        CHECK_FALSE(draining.done());
        draining.cancel();
        co_await stage3::next_turn();
        co_await stage3::next_turn();
        CHECK(draining.cancelled());
        const auto again = stage3::create_task(drained(stream));
        co_await stage3::sleep(5ms);
        pair.theirs.close();
        const std::string result = co_await again;
        CHECK(result == std::make_error_code(std::errc::broken_pipe).message());
        CHECK(stream.unsent() == 0); // what can't be sent is dropped
        stream.write("more");
        CHECK(stream.unsent() == 0);
    });
}

TEST_CASE("closing the stream ends the waiting tasks") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        stream.write(much);
        const auto reading = stage3::create_task(line(stream));
        const auto draining = stage3::create_task(drained(stream));
        co_await stage3::sleep(5ms);
        stream.close();
        CHECK(stream.closed());
        const std::string why =
            std::make_error_code(std::errc::operation_canceled).message();
        std::string result = co_await reading;
        CHECK(result == why);
        result = co_await draining;
        CHECK(result == why);
        result = co_await line(stream);
        CHECK(result == why);
        stream.close(); // closing twice is allowed
        pair.receive();
    });
}

namespace {

/// Counts the turns that others have while a task is busy.
Coroutine<> count_turns(int& turns) {
    for (;;) {
        co_await stage3::next_turn();
        ++turns;
    }
}

} // namespace

TEST_CASE("a task that always finds more to read gives others their turn") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        const std::string a_line = std::string(1998, 'x') + "\r\n";
        std::string lines; // more than is read ahead
        for (int i = 0; i < 50; ++i)
            lines += a_line;
        pair.send(lines);
        int turns = 0;
        auto others = stage3::create_task(count_turns(turns));
        for (int i = 0; i < 50; ++i) {
            const std::string text = co_await line(stream, 3000);
            CHECK(text == a_line);
        }
        CHECK(turns >= 1);
        others.cancel();
        co_await stage3::next_turn();
    });
}

TEST_CASE("a task that never has to wait to write gives others their turn") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        const std::string piece(std::size_t{64} * 1024, 'x');
        std::size_t received = 0;
        int turns = 0;
        auto others = stage3::create_task(count_turns(turns));
        for (int i = 0; i < 100; ++i) {
            stream.write(piece);
            co_await stream.drain();
            received += pair.receive().size(); // so that there is room each time
        }
        CHECK(received == 100 * piece.size());
        CHECK(turns >= 10);
        CHECK(turns <= 50); // yielding more often would only slow the task down
        others.cancel();
        co_await stage3::next_turn();
    });
}

TEST_CASE("read_exactly: a cancelled task loses nothing") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("12345");
        bool timed_out = false;
        try {
            co_await stage3::wait_for(stream.read_exactly(10), 5ms);
        } catch (const stage3::Timeout&) {
            timed_out = true;
        }
        CHECK(timed_out);
        pair.send("67890");
        const std::string all = co_await stream.read_exactly(10);
        CHECK(all == "1234567890");
    });
}

TEST_CASE("draining twice at once is a programming error") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        stream.write(much);
        auto first = stage3::create_task(drained(stream));
        co_await stage3::next_turn();
        bool refused = false;
        try {
            co_await stream.flush();
        } catch (const std::logic_error&) {
            refused = true;
        }
        CHECK(refused);
        pair.theirs.close();
        const std::string result = co_await first;
        CHECK(result != "drained");
    });
}

TEST_CASE("destroying the stream ends the tasks that still wait") {
    stage3::run([]() -> Coroutine<> {
        Pair pair;
        std::optional<Stream> stream(std::in_place, stage3::running_loop(),
                                     std::move(pair.ours));
        stream->write(much);
        const auto reading = stage3::create_task(line(*stream));
        const auto exactly = stage3::create_task(drained(*stream));
        co_await stage3::next_turn();
        co_await stage3::next_turn();
        stream.reset();
        const std::string why =
            std::make_error_code(std::errc::operation_canceled).message();
        std::string result = co_await reading;
        CHECK(result == why);
        result = co_await exactly;
        CHECK(result == why);
    }());
}

TEST_CASE("a socket that the loop can't watch is refused at once") {
    if (common::allow_descriptors() < FD_SETSIZE + 10)
        return;
    Pair pair;
    const common::Socket high(::fcntl(pair.ours.fd(), F_DUPFD, FD_SETSIZE + 1));
    REQUIRE(high);
    stage3::EventLoop loop({.selector = common::make_selector("select")});
    common::Socket same(::dup(high.fd())); // has a lower number, which fits
    CHECK_NOTHROW(Stream(loop, std::move(same)));
    common::Socket too_high(::fcntl(high.fd(), F_DUPFD, FD_SETSIZE + 1));
    CHECK_THROWS_AS(Stream(loop, std::move(too_high)), common::SelectorFull);
}

TEST_CASE("closing the stream drops what was read ahead") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("a\r\nb\r\nc");
        const std::string first = co_await line(stream);
        CHECK(first == "a\r\n");
        stream.close();
        stream.close(); // closing twice is allowed
        const std::string second = co_await line(stream);
        CHECK(second == "Operation canceled");
        const std::string some =
            co_await result_of([&stream] { return stream.read_some(1); });
        CHECK(some == "Operation canceled");
        const std::string writing = co_await drained(stream);
        CHECK(writing == "Operation canceled");
    });
}

TEST_CASE("finish_writing sends everything and then the end") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        stream.write(much);
        stream.finish_writing();
        stream.write("nobody gets this");
        CHECK(stream.unsent() > 0);
        std::string all;
        while (all.size() < much.size()) {
            all += pair.receive();
            co_await stage3::next_turn();
        }
        CHECK((all == much)); // in parentheses, so that it is not printed
        co_await stream.flush();
        std::error_code error;
        std::array<char, 10> buffer{};
        CHECK(pair.theirs.receive(buffer, error) == 0);
        CHECK_FALSE(error);     // it is the end, not "would block"
        pair.send("still\r\n"); // the other direction is still open
        const std::string answer = co_await line(stream);
        CHECK(answer == "still\r\n");
    });
}

TEST_CASE("data that has come is read even if writing has become impossible") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("go away\r\n");
        pair.theirs.close();
        stream.write("much to tell");
        const std::string writing = co_await drained(stream);
        CHECK(writing == "Broken pipe");
        const std::string why = co_await line(stream);
        CHECK(why == "go away\r\n");
        const std::string more = co_await line(stream); // not an orderly end
        CHECK(more == "Broken pipe");
    });
}

TEST_CASE("a task that is cancelled while reading loses nothing") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        for (int i = 0; i < 5; ++i) {
            auto reading = stage3::create_task(line(stream));
            pair.send("ab");
            co_await stage3::sleep(1ms);
            reading.cancel();
            co_await stage3::sleep(1ms);
            CHECK(reading.cancelled());
        }
        pair.send("\r\n");
        const std::string all = co_await line(stream);
        CHECK(all == "ababababab\r\n");
    });
}

TEST_CASE("reading twice at once is a programming error") {
    with_stream([](Stream& stream, Pair&) -> Coroutine<> {
        auto one = stage3::create_task(line(stream));
        co_await stage3::next_turn();
        const auto two = stage3::create_task(line(stream));
        co_await stage3::sleep(1ms);
        REQUIRE(two.done());
        CHECK_THROWS_AS(two.result(), std::logic_error);
        CHECK_FALSE(one.done());
        one.cancel();
        co_await stage3::next_turn();
    });
}

namespace {

Coroutine<bool> is_refused(Coroutine<> second) {
    try {
        co_await std::move(second);
    } catch (const std::logic_error&) {
        co_return true;
    }
    co_return false;
}

Coroutine<> read_a_line(Stream& stream) { co_await stream.read_until("\r\n"); }
Coroutine<> read_a_byte(Stream& stream) { co_await stream.read_exactly(1); }
Coroutine<> read_anything(Stream& stream) { co_await stream.read_some(10); }
Coroutine<> peek(Stream& stream) { co_await stream.peek(); }

/// All that read are refused, and change nothing.
Coroutine<> check_no_second_reader(Stream& stream) {
    for (auto* const read : {&read_a_line, &read_a_byte, &read_anything, &peek}) {
        const bool is_one_too_many = co_await is_refused(read(stream));
        CHECK(is_one_too_many);
    }
}

} // namespace

TEST_CASE("a second reader doesn't get a part of what the first one waits for") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("par");
        auto first = stage3::create_task(line(stream));
        co_await stage3::next_turn(); // it has read "par", and lets others run
        co_await check_no_second_reader(stream);
        co_await stage3::next_turn();
        co_await stage3::next_turn(); // now it waits for the rest
        co_await check_no_second_reader(stream);
        pair.send("tial\r\n");
        const std::string result = co_await first;
        CHECK(result == "partial\r\n");
    });
}

TEST_CASE("a second one that drains is refused also while the first lets others run") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        const std::string piece(std::size_t{64} * 1024, 'x');
        bool has_let_others_run = false;
        for (int i = 0; i < 100 && !has_let_others_run; ++i) {
            stream.write(piece);
            auto first = stage3::create_task(drained(stream));
            co_await stage3::next_turn();
            has_let_others_run = !first.done();
            if (has_let_others_run) {
                const bool is_one_too_many = co_await is_refused(stream.flush());
                CHECK(is_one_too_many);
            }
            pair.receive();
            const std::string result = co_await first;
            CHECK(result == "drained");
            pair.receive();
        }
        CHECK(has_let_others_run);
    });
}

TEST_CASE("without memory for what has arrived, the stream is broken") {
    if (!tests::memory_is_ours())
        return;
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        auto reading = stage3::create_task(line(stream, 100'000));
        co_await stage3::next_turn();
        co_await stage3::next_turn();
        pair.send(std::string(16'000, 'x'));
        {
            const tests::NoMemory none({.at_least = 10'000});
            co_await stage3::next_turn();
            co_await stage3::next_turn();
        }
        pair.send("\r\n");
        const std::string result = co_await reading;
        CHECK(result == std::make_error_code(std::errc::not_enough_memory).message());
    });
}

TEST_CASE("a time limit works for reading as for any other task") {
    with_stream([](Stream& stream, Pair&) -> Coroutine<> {
        bool in_time = true;
        try {
            co_await stage3::wait_for(stream.read_until("\r\n"), 10ms);
        } catch (const stage3::Timeout&) {
            in_time = false;
        }
        CHECK_FALSE(in_time);
    });
}
