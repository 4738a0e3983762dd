// Reading and writing on a connection that has the test at its other end.
#include "common/system/descriptors.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/awaited.h"
#include "tests/support/no_memory.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"

#include <random>

#include <fcntl.h>
#include <sys/select.h>
#include <unistd.h>

using namespace stage3;
using namespace tests;

namespace {

/// Two ends of a connection: the near one is the stream's, the far one the test's.
struct Pair : SocketPair {
    /// Sends all of it. There must be room.
    void send(std::string_view bytes) {
        std::error_code error;
        CHECK(far.send(bytes, error) == bytes.size());
    }
    /// What has arrived at the test's end.
    std::string receive() {
        std::string all;
        std::vector<char> buffer(100'000);
        for (;;) {
            std::error_code error;
            const std::size_t count = far.receive(buffer, error);
            if (count == 0)
                return all;
            all.append(buffer.data(), count);
        }
    }
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
            Stream stream(stage3::running_loop(), std::move(both.near), how);
            co_await body(stream, both);
        }(pair, test, limits),
        std::move(options));
}

} // namespace

TEST_CASE("read_until returns the text with its end and keeps the rest") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("one\r\ntwo\r\n\r\nthr");
        for (const char* expected : {"one\r\n", "two\r\n", "\r\n"})
            co_await expect(line(stream), expected);
        const auto waiting = stage3::create_task(line(stream));
        co_await stage3::sleep(5ms);
        CHECK_FALSE(waiting.done());
        for (const char* piece : {"e", "\r", "\r", "\n", "x"}) { // one \r isn't the end
            pair.send(piece);
            co_await stage3::sleep(1ms);
        }
        CHECK(waiting.result() == "thre\r\r\n");
        pair.far.close();
        co_await expect(line(stream), "end after 1");
        CHECK_FALSE(stream.at_end());
        co_await expect(stream.read_some(10), "x"); // the failed read has lost nothing
        CHECK(stream.at_end());
        co_await expect(stream.read_some(10), "");
    });
}

TEST_CASE("read_until reads no more than allowed") {
    with_stream(
        [](Stream& stream, Pair& pair) -> Coroutine<> {
            pair.send("123456\r\n");
            co_await expect(line(stream, 8), "123456\r\n");
            pair.send("1234567\r\n");
            co_await expect(line(stream, 8), "too long");
            co_await expect(line(stream, 9), "1234567\r\n"); // nothing was lost
            pair.send("12345678"); // the end can no longer come in time
            co_await expect(line(stream, 8), "too long");
            pair.send(std::string(30, 'x')); // more than is read ahead
            co_await expect(line(stream, 1000), "too long");
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
            co_await expect(stream.read_exactly(5), text.substr(0, 5));
            co_await expect(stream.read_exactly(0), "");
            co_await expect(stream.read_exactly(text.size() - 5), text.substr(5));
            pair.send("abc");
            pair.far.close();
            co_await expect(result_of([&stream] { return stream.read_exactly(4); }),
                            "end after 3");
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
            co_await expect(stream.peek(), expected);
            co_await expect(stream.read_some(1), std::string(1, expected));
        }
        pair.far.close();
        co_await expect(result_of([&stream] { return stream.peek(); }), "end after 0");
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
                sent += pair.far.send(std::string(10'000, 'y'), error);
                co_await stage3::next_turn();
            }
            CHECK(sent < 2'000'000); // their end is full
            const int before = clock_calls;
            co_await stage3::sleep(100ms);
            CHECK(clock_calls - before < 20); // the loop has slept
            co_await expect(stream.read_exactly(sent), std::string(sent, 'y'));
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
            CHECK(pair.far.receive(byte, error) == 0);
            CHECK_FALSE(error); // it is the end, not just a lack of bytes
        },
        {.unsent = 10'000});
}

TEST_CASE("drain waits while the peer doesn't read, and reports when it never will") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        stream.write(much);
        CHECK(stream.unsent() > 0);
        const auto draining = stage3::create_task(drained(stream));
        co_await stage3::sleep(5ms);
        CHECK_FALSE(draining.done());
        co_await end(draining);
        CHECK(draining.cancelled());
        const auto again = stage3::create_task(drained(stream));
        co_await stage3::sleep(5ms);
        pair.far.close();
        const std::string result = co_await again;
        CHECK(result == "Broken pipe");
        CHECK(stream.unsent() == 0); // what can't be sent is dropped
        stream.write("more");
        CHECK(stream.unsent() == 0);
    });
}

TEST_CASE("closing or destroying the stream ends the waiting tasks") {
    for (const bool is_closed : {true, false})
        stage3::run([](bool closes) -> Coroutine<> {
            Pair pair;
            std::optional<Stream> stream(std::in_place, stage3::running_loop(),
                                         std::move(pair.near));
            stream->write(much);
            const auto reading = stage3::create_task(line(*stream));
            const auto draining = stage3::create_task(drained(*stream));
            co_await stage3::sleep(5ms);
            if (closes)
                stream->close();
            else
                stream.reset();
            for (const auto& waiting : {reading, draining}) {
                const std::string result = co_await waiting;
                CHECK(result == "Operation canceled");
            }
        }(is_closed));
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
        const auto others = stage3::create_task(count_turns(turns));
        for (int i = 0; i < 50; ++i) {
            co_await expect(line(stream, 3000), a_line);
        }
        CHECK(turns >= 1);
        co_await end(others);
    });
}

TEST_CASE("a task that never has to wait to write gives others their turn") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        const std::string piece(std::size_t{64} * 1024, 'x');
        std::size_t received = 0;
        int turns = 0;
        const auto others = stage3::create_task(count_turns(turns));
        for (int i = 0; i < 100; ++i) {
            stream.write(piece);
            co_await stream.drain();
            received += pair.receive().size(); // so that there is room each time
        }
        CHECK(received == 100 * piece.size());
        CHECK(turns >= 10);
        CHECK(turns <= 50); // yielding more often would only slow the task down
        co_await end(others);
    });
}

TEST_CASE("a socket that the loop can't watch is refused at once") {
    if (common::allow_descriptors() < FD_SETSIZE + 10)
        return;
    Pair pair;
    const common::Socket high(::fcntl(pair.near.fd(), F_DUPFD, FD_SETSIZE + 1));
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
        co_await expect(line(stream), "a\r\n");
        stream.close();
        CHECK(stream.closed());
        stream.close(); // closing twice is allowed
        co_await expect(line(stream), "Operation canceled");
        co_await expect(result_of([&stream] { return stream.read_some(1); }),
                        "Operation canceled");
        co_await expect(drained(stream), "Operation canceled");
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
        CHECK(pair.far.receive(buffer, error) == 0);
        CHECK_FALSE(error);     // it is the end, not "would block"
        pair.send("still\r\n"); // the other direction is still open
        co_await expect(line(stream), "still\r\n");
    });
}

TEST_CASE("data that has come is read even if writing has become impossible") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        pair.send("go away\r\n");
        pair.far.close();
        stream.write("much to tell");
        co_await expect(drained(stream), "Broken pipe");
        co_await expect(line(stream), "go away\r\n");
        co_await expect(line(stream), "Broken pipe"); // not an orderly end
    });
}

TEST_CASE("a task that is cancelled while reading loses nothing") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        for (int i = 0; i < 5; ++i) {
            const auto reading = stage3::create_task(line(stream));
            pair.send("ab");
            co_await stage3::sleep(1ms);
            co_await end(reading);
            CHECK(reading.cancelled());
        }
        pair.send("\r\n");
        co_await expect(line(stream), "ababababab\r\n");
        pair.send("12345");
        co_await expect(throws<Timeout>(stage3::wait_for(stream.read_exactly(10), 5ms)),
                        true);
        pair.send("67890");
        co_await expect(stream.read_exactly(10), "1234567890");
    });
}

namespace {

Coroutine<> read_a_line(Stream& stream) { co_await stream.read_until("\r\n"); }
Coroutine<> read_a_byte(Stream& stream) { co_await stream.read_exactly(1); }
Coroutine<> read_anything(Stream& stream) { co_await stream.read_some(10); }
Coroutine<> peek(Stream& stream) { co_await stream.peek(); }

/// All that read are refused, and change nothing.
Coroutine<> check_no_second_reader(Stream& stream) {
    for (auto* const read : {&read_a_line, &read_a_byte, &read_anything, &peek})
        co_await expect(throws<std::logic_error>(read(stream)), true);
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

TEST_CASE(
    "a second one that drains is refused while the first waits, or lets others run") {
    with_stream([](Stream& stream, Pair& pair) -> Coroutine<> {
        const std::string piece(std::size_t{64} * 1024, 'x');
        bool has_let_others_run = false;
        for (int i = 0; i < 100 && !has_let_others_run; ++i) {
            stream.write(piece);
            auto first = stage3::create_task(drained(stream));
            co_await stage3::next_turn();
            has_let_others_run = !first.done();
            if (has_let_others_run)
                co_await expect(throws<std::logic_error>(stream.flush()), true);
            pair.receive();
            const std::string result = co_await first;
            CHECK(result == "drained");
            pair.receive();
        }
        CHECK(has_let_others_run);
        stream.write(much);
        const auto waiting = stage3::create_task(drained(stream));
        co_await stage3::next_turn();
        co_await expect(throws<std::logic_error>(stream.flush()), true);
        pair.far.close();
        const std::string result = co_await waiting;
        CHECK(result != "drained");
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
