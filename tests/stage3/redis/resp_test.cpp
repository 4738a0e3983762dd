// Commands are written, and replies are read in whatever pieces they arrive.
#include "common/system/socket.h"
#include "stage3_queue_crawler/redis/resp.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"

#include <sys/socket.h>

using namespace std::string_literals;
using namespace stage3;

namespace {

/// A reply as text, such as [a, [b, null], error(ERR c)].
std::string shown(const RedisReply& reply) {
    if (reply.is_null)
        return "null";
    if (reply.is_error)
        return "error(" + reply.text + ")";
    if (reply.items.empty())
        return reply.text;
    std::string all;
    for (const RedisReply& item : reply.items)
        all += (all.empty() ? "" : ", ") + shown(item);
    return "[" + all + "]";
}

Coroutine<> send(common::Socket socket, std::vector<std::string> pieces) {
    Stream stream(stage3::running_loop(), std::move(socket));
    for (const std::string& piece : pieces) {
        stream.write(piece);
        co_await stream.flush();
        co_await stage3::next_turn();
        co_await stage3::next_turn();
    }
}

Coroutine<std::string> read_all(common::Socket socket) {
    Stream stream(stage3::running_loop(), std::move(socket));
    ReplyReader reader(stream);
    std::string all;
    try {
        for (;;) {
            const RedisReply reply = co_await reader.read();
            all += shown(reply) + "; ";
        }
    } catch (const stage3::NoRedis& error) {
        all += error.what();
    } catch (const stage3::EndOfStream& end) {
        all += end.received == 0 ? "end" : "broken";
    }
    co_return all;
}

/// The replies that a reader finds in bytes that come in these pieces.
std::string read(std::vector<std::string> pieces) {
    std::array<int, 2> ends{};
    REQUIRE(
        ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data())
        == 0);
    return stage3::run(
        [](int ours, int theirs, std::vector<std::string> all) -> Coroutine<std::string> {
            std::vector<stage3::Task<>> senders;
            senders.push_back(
                stage3::create_task(send(common::Socket(theirs), std::move(all))));
            std::string got = co_await read_all(common::Socket(ours));
            co_await stage3::wait(senders);
            co_return got;
        }(ends[0], ends[1], std::move(pieces)));
}
std::string read(std::string bytes) {
    return read(std::vector<std::string>{std::move(bytes)});
}

std::string times(int count, std::string_view text) {
    std::string all;
    for (int i = 0; i < count; ++i)
        all += text;
    return all;
}

} // namespace

TEST_CASE("a command is encoded as a number of words, each with its length in bytes") {
    std::string out = "x";
    stage3::append_command(out, {"SET", "", "a\r\nb"});
    CHECK(out == "x*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\na\r\nb\r\n");
}

TEST_CASE("replies of each kind are read") {
    CHECK(read("+OK\r\n") == "OK; end");
    CHECK(read("+\r\n") == "; end");
    CHECK(read(":-42\r\n") == "-42; end");
    CHECK(read("-ERR no\r\n") == "error(ERR no); end");
    CHECK(read("$4\r\na\r\nb\r\n$0\r\n\r\n") == "a\r\nb; ; end");
    CHECK(read("$-1\r\n*-1\r\n*0\r\n") == "null; null; ; end");
    CHECK(read("*2\r\n*3\r\n+a\r\n:1\r\n$-1\r\n-ERR in a list\r\n")
          == "[[a, 1, null], error(ERR in a list)]; end");
    CHECK(read("") == "end");
}

TEST_CASE("a reply is read wherever its bytes are split in two") {
    const std::string bytes =
        "*4\r\n$5\r\nhe\r\nl\r\n:12\r\n*2\r\n$-1\r\n+OK\r\n-ERR no\r\n$3\r\nend\r\n";
    const std::string expected = "[he\r\nl, 12, [null, OK], error(ERR no)]; end; end";
    CHECK(read(bytes) == expected);
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
        CAPTURE(cut);
        CHECK(read({bytes.substr(0, cut), bytes.substr(cut)}) == expected);
    }
    std::vector<std::string> letters;
    for (const char c : bytes)
        letters.emplace_back(1, c);
    CHECK(read(letters) == expected);
}

TEST_CASE("a connection that ends inside a reply is an error") {
    const std::string bytes = "*2\r\n$2\r\nab\r\n+OK\r\n";
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
        CAPTURE(cut);
        const std::string got = read(bytes.substr(0, cut));
        CHECK((got == "broken" || got == "end"));
    }
}

TEST_CASE("a megabyte is read, even many times in a list") {
    const std::string text(1'000'000, 'x');
    const std::string bytes = "$1000000\r\n" + text + "\r\n";
    CHECK(read(bytes) == text + "; end");
    CHECK(read("*3\r\n" + bytes + bytes + bytes).size() == 3'000'000 + 11);
    CHECK(read("*20000\r\n" + times(20'000, "$1\r\ny\r\n")).size() == 60'000 + 5);
}

TEST_CASE("an answer that isn't Redis's is shown, but escaped") {
    CHECK(read("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
          == "what answers is no Redis: 'HTTP/1.1 400 Bad Request'");
    CHECK(read("SSH-2.0-OpenSSH_9.2p1\r\n")
          == "what answers is no Redis: 'SSH-2.0-OpenSSH_9.2p1'");
    CHECK(read("J\0\0\0\n8.0"s) == "what answers is no Redis: 'J....'");
    CHECK(read("\x1b[2J\xff" + std::string(100'000, 'x'))
          == "what answers is no Redis: '.[2J." + std::string(35, 'x') + "'");
    for (const char* bytes :
         {"\r\n", "\n", "+OK\n", "$x\r\n", "$\r\n", "*1x\r\n", "$-2\r\n", "*-2\r\n",
          "$1\r\nabc\r\n", "%1\r\n", "$+1\r\n"}) {
        CAPTURE(bytes);
        CHECK(read(bytes).starts_with("what answers is no Redis"));
    }
}

TEST_CASE("no reply may fill our memory") {
    CHECK(read("$536870913\r\n") == "what answers is no Redis: '$536870913'");
    CHECK(read("$99999999999999999999\r\n").starts_with("what answers is no Redis"));
    CHECK(read("*1000001\r\n") == "what answers is no Redis: '*1000001'");
    CHECK(read("$536870912\r\n") == "end"); // this length would be allowed
    CHECK(read("*2\r\n*999998\r\n") == "end");
    CHECK(read("*2\r\n*999999\r\n") == "what answers is no Redis: '*999999'");
    CHECK(read(times(8, "*1\r\n") + "+deep\r\n") == "[[[[[[[[deep]]]]]]]]; end");
    CHECK(read(times(9, "*1\r\n") + "+deep\r\n") == "what answers is no Redis: '*1'");
    // Each reply has the whole allowance.
    CHECK(
        read("*600000\r\n" + times(600'000, ":1\r\n") + "*600000\r\n").ends_with("end"));
}

TEST_CASE("a reply is read as a number, and anything else is refused") {
    RedisReply reply;
    reply.text = "-12";
    CHECK(reply.number() == -12);
    for (const char* text : {"", "x", "1x", "99999999999999999999"}) {
        CAPTURE(text);
        reply.text = text;
        CHECK_THROWS_AS(reply.number(), std::invalid_argument);
    }
}

TEST_CASE("the first word of an error can be read") {
    CHECK(stage3::RedisError("NOAUTH Authentication required.").code() == "NOAUTH");
    CHECK(stage3::RedisError("ERR").code() == "ERR");
}
