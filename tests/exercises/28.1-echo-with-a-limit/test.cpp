// start fails in: line after line
// start fails with: ended the connection after one line
#include "exercise.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "tests/stage3/runtime/client_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Stream;

namespace {

constexpr stage3::StreamLimits limits{.read_ahead = 1000, .unsent = 20'000};

/// What stage3::serve does with a client.
Coroutine<> serve_one(Stream& stream) {
    const stage3::AtExit close([&stream] { stream.close(); });
    co_await echo(stream);
}

/// A client, and `echo` at the other end.
class EchoTest : public tests::ClientTest {
  public:
    EchoTest() : EchoTest(connection()) {}
    EchoTest(const EchoTest&) = delete;
    EchoTest& operator=(const EchoTest&) = delete;
    ~EchoTest() { loop.close(); }

    /// Says that, and returns what comes.
    std::string say(std::string_view text) {
        client.send(text);
        settle();
        return client.receive();
    }

    /// Lines of `longest_line` bytes, each with its number: as many as are taken, or so
    /// many. None is read meanwhile.
    void send_lines(std::size_t most) {
        std::string left;
        int refused = 0;
        while (sent.size() < most && refused < 3) {
            if (left.empty()) {
                left = fmt::format("{:{}}\n", sent.size(), longest_line - 1);
                sent += left;
            }
            const std::size_t count = client.send(left);
            left.erase(0, count);
            refused = count == 0 ? refused + 1 : 0;
            settle();
            most_unsent = std::max(most_unsent, stream.unsent());
        }
        sent.resize(sent.size() - left.size());
    }

    /// All that comes, with a pause after each piece.
    std::string read_slowly() {
        std::string all;
        for (;;) {
            const std::string piece = client.receive();
            if (piece.empty())
                return all;
            all += piece;
            settle();
        }
    }

    void check_nothing_escaped() const {
        const std::string what = tests::escaped(serving);
        REQUIRE_MESSAGE(what.empty(),
                        "the client went away, and an exception has left echo: " << what);
    }

  private:
    explicit EchoTest(std::pair<common::Socket, common::Socket> ends)
        : client(std::move(ends.first)), stream(loop, std::move(ends.second), limits),
          serving(stage3::create_task(loop, serve_one(stream))) {
        settle();
    }

  public:
    tests::Client client;
    Stream stream;
    stage3::Task<> serving;
    std::string sent;
    std::size_t most_unsent = 0;
};

} // namespace

TEST_SUITE("lines") {
    TEST_CASE_FIXTURE(EchoTest, "line after line") {
        std::string got = say("one\n");
        CHECK_MESSAGE(got == "one\n",
                      "it has said \"one\\n\", and should have got the same. It got \""
                          << got << "\"");
        got = say("two\nthree\n");
        REQUIRE_MESSAGE(
            !client.ended(),
            "you ended the connection after one line, and the client has another one.");
        CHECK_MESSAGE(got == "two\nthree\n",
                      "it has said two lines at once, and should have got both. It got \""
                          << got << "\"");
    }

    TEST_CASE_FIXTURE(EchoTest, "as soon as it is whole") {
        std::string got = say("hel");
        CHECK_MESSAGE(got.empty(), "it has said \"hel\", which is no line yet, and got \""
                                       << got
                                       << "\" back. How much comes at once says nothing: "
                                          "a line may come in pieces.");
        got = say("lo\nwor");
        CHECK_MESSAGE(
            got == "hello\n",
            "now the first line is whole. It should have got \"hello\\n\", and got \""
                << got << "\"");
        CHECK(say("ld\n") == "world\n");
        CHECK_MESSAGE(say("\n\r\n") == "\n\r\n", "an empty line is a line, too.");
    }

    TEST_CASE_FIXTURE(EchoTest, "the client finishes") {
        client.send("one\ntwo");
        client.finish();
        settle();
        const std::string got = client.receive();
        CHECK_MESSAGE(got == "one\n",
                      "it has sent \"one\\ntwo\", and finished. The line should have "
                      "come back, and what is no line should not. It got \""
                          << got << "\"");
        REQUIRE_MESSAGE(client.ended(), "the client has finished, and you have not.");
        check_nothing_escaped();
    }
}

TEST_SUITE("too long") {
    TEST_CASE_FIXTURE(EchoTest, "just not too long") {
        const std::string line = std::string(longest_line - 1, 'x') + '\n';
        const std::string got = say(line);
        CHECK_MESSAGE(got == line,
                      "this line has "
                          << longest_line
                          << " bytes, with its end. That's allowed. It got \"" << got
                          << "\"");
    }

    TEST_CASE_FIXTURE(EchoTest, "a byte more") {
        const std::string got = say("one\n" + std::string(longest_line, 'x') + "\ntwo\n");
        REQUIRE_MESSAGE(got != "one\n",
                        "the client has sent a line that is too long, and hears nothing "
                        "of it: the connection just ends. Say why.");
        CHECK_MESSAGE(got == "one\ntoo long\n",
                      "behind \"one\\n\", a line is one byte too long. It should get "
                      "\"one\\ntoo long\\n\", and nothing more. It got \""
                          << got << "\"");
        REQUIRE_MESSAGE(client.ended(), "after \"too long\", the connection should end.");
    }

    TEST_CASE_FIXTURE(EchoTest, "no end in sight") {
        const std::string got = say(std::string(longest_line, 'x'));
        REQUIRE_MESSAGE(
            got == "too long\n",
            "it has sent "
                << longest_line
                << " bytes, and no end is among them. Whatever comes, that line is too "
                   "long: you need not wait for its end, which may never come.");
    }

    TEST_CASE_FIXTURE(EchoTest, "it sends on") {
        const std::string got = say(std::string(3000, 'x'));
        CHECK(got == "too long\n");
        REQUIRE_MESSAGE(!client.broken(),
                        "the client got its answer, and then no end, but a reset: when "
                        "the connection was closed, bytes of it were unread. On a long "
                        "way, the answer might never have come.");
        CHECK(client.ended());
        REQUIRE_MESSAGE(!serving.done(), "echo has returned, though the client has not "
                                         "finished. What it sends now leads to a reset.");
        client.finish();
        settle();
        CHECK_MESSAGE(serving.done(),
                      "the client has finished, too. What is echo waiting for?");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "what came before is not lost") {
        send_lines(15'000);
        REQUIRE(stream.unsent() > 0);
        client.send(std::string(200, 'x'));
        settle();
        const std::string got = read_slowly();
        CHECK_MESSAGE(
            (got == sent + "too long\n"),
            "many lines were to be sent back, and then came one that is too long. Of "
                << sent.size() + std::string("too long\n").size()
                << " bytes, only these came: " << got.size());
    }
}

TEST_SUITE("clients of all kinds") {
    TEST_CASE_FIXTURE(EchoTest, "reads late") {
        send_lines(15'000);
        REQUIRE(stream.unsent() > 0);
        client.finish();
        settle();
        const std::string got = read_slowly();
        REQUIRE_MESSAGE(got.size() == sent.size(),
                        "the client finished, and then read. Of its last answers, "
                            << sent.size() - got.size()
                            << " bytes never came: they were still unsent when you ended "
                               "the connection.");
        CHECK((got == sent));
        CHECK(client.ended());
        CHECK(serving.done());
    }

    TEST_CASE_FIXTURE(EchoTest, "reads very late") {
        send_lines(15'000);
        REQUIRE(stream.unsent() > 0);
        client.finish();
        after(10 * patience); // that's for its end, when all that we have said is gone
        const std::string got = read_slowly();
        REQUIRE_MESSAGE(got.size() == sent.size(),
                        "the client finished, and read a while later. "
                            << sent.size() - got.size()
                            << " bytes were lost: `patience` is for its end, and not for "
                               "what is still unsent.");
        CHECK((got == sent));
        CHECK(client.ended());
        CHECK(serving.done());
    }

    TEST_CASE_FIXTURE(EchoTest, "never reads") {
        send_lines(1'000'000);
        REQUIRE_MESSAGE(most_unsent <= limits.unsent + longest_line,
                        "the client sends and sends, and reads nothing. Its answers pile "
                        "up in your memory: "
                            << most_unsent << " bytes.");
        REQUIRE_MESSAGE(!serving.done(), "it may still read. Wait for it.");
        std::string got = read_slowly();
        const std::size_t whole = sent.rfind('\n') + 1;
        CHECK_MESSAGE((got == sent.substr(0, whole)),
                      "in the end it read, and should have got each line, in order.");
    }

    TEST_CASE_FIXTURE(EchoTest, "goes away") {
        client.close();
        settle();
        CHECK(serving.done());
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "goes away, and leaves its answers unread") {
        send_lines(1'000'000);
        client.close();
        settle();
        CHECK_MESSAGE(serving.done(), "the connection is broken, and echo still waits.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "finishes, and goes away before its answers are there") {
        send_lines(15'000);
        client.finish();
        settle();
        client.close();
        settle();
        CHECK_MESSAGE(serving.done(), "the connection is broken, and echo still waits.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "never finishes") {
        say(std::string(200, 'x'));
        after(patience);
        REQUIRE_MESSAGE(serving.done(), "the client was told that its line is too long, "
                                        "and does not finish. You wait for it for ever.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "never finishes, and sends on") {
        say(std::string(200, 'x'));
        for (int i = 0; i < 20; ++i) {
            client.send("xxx");
            after(100ms);
        }
        REQUIRE_MESSAGE(serving.done(),
                        "the client was told that its line is too long, and sends three "
                        "bytes more ten times a second. Two seconds later, echo is still "
                        "there: your patience begins anew with each byte.");
    }
}

TEST_SUITE("the server ends") {
    TEST_CASE_FIXTURE(EchoTest, "while you read") {
        serving.cancel();
        settle();
        REQUIRE_MESSAGE(serving.done(),
                        "the task was asked to end, and goes on: you have caught more "
                        "than you know what to do with.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "while you write") {
        send_lines(1'000'000);
        serving.cancel();
        settle();
        REQUIRE_MESSAGE(
            serving.done(),
            "the task was asked to end, and waits for a client that may never read.");
        check_nothing_escaped();
    }
}

namespace {

common::Address at_port(std::uint16_t port) {
    return common::resolve("127.0.0.1", port).front();
}

/// Says one line, and what came back.
Coroutine<std::string> ask(std::uint16_t port, std::string line) {
    common::Socket socket = co_await stage3::connect(at_port(port));
    Stream stream(stage3::running_loop(), std::move(socket));
    stream.write(line);
    stream.finish_writing();
    std::string answer = co_await stream.read_until("\n");
    co_return answer;
}

Coroutine<std::vector<std::string>> ask_ten() {
    stage3::Listener listener(at_port(0));
    const std::uint16_t port = listener.port();
    auto serving = stage3::create_task(stage3::serve(std::move(listener), echo));
    std::vector<stage3::Future<std::string>> asking;
    for (int i = 0; i < 10; ++i)
        asking.push_back(stage3::create_task(ask(port, fmt::format("line {}\n", i))));
    auto answers = co_await stage3::gather(std::move(asking));
    serving.cancel();
    const std::vector<stage3::Task<>> one{serving};
    co_await stage3::wait(one);
    co_return answers;
}

} // namespace

TEST_CASE("ten clients at a real port") {
    const std::vector<std::string> answers = stage3::run(ask_ten());
    for (std::size_t i = 0; i < answers.size(); ++i)
        CHECK(answers[i] == fmt::format("line {}\n", i));
}
