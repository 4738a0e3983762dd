#include "exercise.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "tests/stage3/runtime/client_test.h"

using stage3::Coroutine;
using stage3::Stream;

namespace {

constexpr stage3::StreamLimits limits{.read_ahead = 1000, .unsent = 20'000};

/// Does what stage3::serve does with a client.
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

    /// Sends that, and returns what comes back.
    std::string say(std::string_view text) {
        client.send(text);
        settle();
        return client.receive();
    }

    /// Sends lines of `longest_line` bytes, each with its number, until no more are
    /// taken or that many bytes were sent. Reads none meanwhile.
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

    /// Everything that comes, read with a pause after each piece.
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
    TEST_CASE_FIXTURE(EchoTest, "one line after another is sent back") {
        std::string got = say("one\n");
        CHECK_MESSAGE(
            got == "one\n",
            "the client sent \"one\\n\", and should have got the same. It got \""
                << got << "\"");
        got = say("two\nthree\n");
        REQUIRE_MESSAGE(
            !client.ended(),
            "you ended the connection after one line, and the client had another one.");
        CHECK_MESSAGE(
            got == "two\nthree\n",
            "the client sent two lines at once, and should have got both. It got \""
                << got << "\"");
    }

    TEST_CASE_FIXTURE(EchoTest, "a line is sent back as soon as it is whole") {
        std::string got = say("hel");
        CHECK_MESSAGE(got.empty(),
                      "the client sent \"hel\", which is not a line yet, and got \""
                          << got
                          << "\" back. How much comes at once means nothing: a line may "
                             "come in pieces.");
        got = say("lo\nwor");
        CHECK_MESSAGE(got == "hello\n", "now the first line is whole. The client should "
                                        "have got \"hello\\n\", and got \""
                                            << got << "\"");
        CHECK(say("ld\n") == "world\n");
        CHECK_MESSAGE(say("\n\r\n") == "\n\r\n", "an empty line is a line, too.");
    }

    TEST_CASE_FIXTURE(EchoTest, "a client that finishes still gets its lines back") {
        client.send("one\ntwo");
        client.finish();
        settle();
        const std::string got = client.receive();
        CHECK_MESSAGE(
            got == "one\n",
            "the client sent \"one\\ntwo\", and finished. The line should have come "
            "back, but not the rest, which is not a line. The client got \""
                << got << "\"");
        REQUIRE_MESSAGE(client.ended(), "the client has finished, and you have not.");
        check_nothing_escaped();
    }
}

TEST_SUITE("too long") {
    TEST_CASE_FIXTURE(EchoTest, "a line of the greatest length is sent back") {
        const std::string line = std::string(longest_line - 1, 'x') + '\n';
        const std::string got = say(line);
        CHECK_MESSAGE(got == line,
                      "this line has "
                          << longest_line
                          << " bytes, with its end. That's allowed. The client got \""
                          << got << "\"");
    }

    TEST_CASE_FIXTURE(EchoTest, "a line that is one byte too long is refused") {
        const std::string got = say("one\n" + std::string(longest_line, 'x') + "\ntwo\n");
        REQUIRE_MESSAGE(got != "one\n",
                        "the client sent a line that is too long, and gets no message: "
                        "the connection just ends. Say why.");
        CHECK_MESSAGE(got == "one\ntoo long\n",
                      "after \"one\\n\", a line is one byte too long. The client should "
                      "get \"one\\ntoo long\\n\", and nothing more. It got \""
                          << got << "\"");
        REQUIRE_MESSAGE(client.ended(), "after \"too long\", the connection should end.");
    }

    TEST_CASE_FIXTURE(EchoTest, "a line is refused before its end has come") {
        const std::string got = say(std::string(longest_line, 'x'));
        REQUIRE_MESSAGE(
            got == "too long\n",
            "the client sent "
                << longest_line
                << " bytes without an end of line. Whatever follows, that line is too "
                   "long: you need not wait for its end, which may never come.");
    }

    TEST_CASE_FIXTURE(EchoTest,
                      "a client that sends on after its refusal gets no reset") {
        const std::string got = say(std::string(3000, 'x'));
        CHECK(got == "too long\n");
        REQUIRE_MESSAGE(
            !client.broken(),
            "the client got its answer, and then not an end but a reset: when the "
            "connection was closed, bytes from the client were unread. Over a long "
            "distance, the answer might never have arrived.");
        CHECK(client.ended());
        REQUIRE_MESSAGE(!serving.done(), "echo has returned, though the client has not "
                                         "finished. What it sends now leads to a reset.");
        client.finish();
        settle();
        CHECK_MESSAGE(serving.done(),
                      "the client has finished, too. What is echo waiting for?");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "the lines before one that is too long are not lost") {
        send_lines(15'000);
        REQUIRE(stream.unsent() > 0);
        client.send(std::string(200, 'x'));
        settle();
        const std::string got = read_slowly();
        CHECK_MESSAGE(
            (got == sent + "too long\n"),
            "many lines had to be sent back, and then came one that is too long. Of "
                << sent.size() + std::string("too long\n").size()
                << " bytes, only these came: " << got.size());
    }
}

TEST_SUITE("clients of all kinds") {
    TEST_CASE_FIXTURE(EchoTest, "a client that reads late loses nothing") {
        send_lines(15'000);
        REQUIRE(stream.unsent() > 0);
        client.finish();
        settle();
        const std::string got = read_slowly();
        REQUIRE_MESSAGE(
            got.size() == sent.size(),
            "the client finished first, and read afterwards. Of its last answers, "
                << sent.size() - got.size()
                << " bytes never came: they were still unsent when you ended "
                   "the connection.");
        CHECK((got == sent));
        CHECK(client.ended());
        CHECK(serving.done());
    }

    TEST_CASE_FIXTURE(EchoTest, "a client that reads very late loses nothing") {
        send_lines(15'000);
        REQUIRE(stream.unsent() > 0);
        client.finish();
        after(10 * patience); // that's for its end, once everything we sent is gone
        const std::string got = read_slowly();
        REQUIRE_MESSAGE(got.size() == sent.size(),
                        "the client finished, and read only a while later. "
                            << sent.size() - got.size()
                            << " bytes were lost: `patience` is for its end, and not for "
                               "what is still unsent.");
        CHECK((got == sent));
        CHECK(client.ended());
        CHECK(serving.done());
    }

    TEST_CASE_FIXTURE(EchoTest, "a client that does not read is waited for") {
        send_lines(1'000'000);
        REQUIRE_MESSAGE(most_unsent <= limits.unsent + longest_line,
                        "the client keeps sending, and reads nothing. Its answers pile "
                        "up in your memory: "
                            << most_unsent << " bytes.");
        REQUIRE_MESSAGE(!serving.done(), "the client may still read. Wait for it.");
        std::string got = read_slowly();
        const std::size_t whole = sent.rfind('\n') + 1;
        CHECK_MESSAGE(
            (got == sent.substr(0, whole)),
            "in the end the client read, and should have got each line, in order.");
    }

    TEST_CASE_FIXTURE(EchoTest, "echo ends when the client goes away") {
        client.close();
        settle();
        CHECK(serving.done());
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest,
                      "echo ends when the client goes away with answers unread") {
        send_lines(1'000'000);
        client.close();
        settle();
        CHECK_MESSAGE(serving.done(), "the connection is broken, but echo still waits.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "echo ends when a client that has finished goes away") {
        send_lines(15'000);
        client.finish();
        settle();
        client.close();
        settle();
        CHECK_MESSAGE(serving.done(), "the connection is broken, but echo still waits.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "echo gives up a refused client that never finishes") {
        say(std::string(200, 'x'));
        after(patience);
        REQUIRE_MESSAGE(serving.done(),
                        "the client was told that its line is too long, but it does not "
                        "finish. You wait for it forever.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "echo gives up a refused client that keeps sending") {
        say(std::string(200, 'x'));
        for (int i = 0; i < 20; ++i) {
            client.send("xxx");
            after(100ms);
        }
        REQUIRE_MESSAGE(serving.done(),
                        "the client was told that its line is too long, and sends three "
                        "more bytes ten times a second. Two seconds later, echo is still "
                        "there: your patience begins anew with each byte.");
    }
}

TEST_SUITE("the server ends") {
    TEST_CASE_FIXTURE(EchoTest, "echo ends when it is cancelled while reading") {
        serving.cancel();
        settle();
        REQUIRE_MESSAGE(serving.done(), "the task was asked to end, but continues: you "
                                        "have caught more than you meant to handle.");
        check_nothing_escaped();
    }

    TEST_CASE_FIXTURE(EchoTest, "echo ends when it is cancelled while writing") {
        send_lines(1'000'000);
        serving.cancel();
        settle();
        REQUIRE_MESSAGE(
            serving.done(),
            "the task was asked to end, but it waits for a client that may never read.");
        check_nothing_escaped();
    }
}

namespace {

common::Address at_port(std::uint16_t port) {
    return common::resolve("127.0.0.1", port).front();
}

/// Sends one line, and returns what came back.
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

TEST_CASE("ten clients at a real port get their lines back") {
    const std::vector<std::string> answers = stage3::run(ask_ten());
    for (std::size_t i = 0; i < answers.size(); ++i)
        CHECK(answers[i] == fmt::format("line {}\n", i));
}
