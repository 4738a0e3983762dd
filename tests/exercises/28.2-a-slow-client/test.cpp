#include "exercise.h"
#include "tests/stage3/runtime/client_test.h"

using stage3::Coroutine;
using stage3::Stream;

namespace {

/// Does what stage3::serve does with a client.
Coroutine<> serve_one(Room& room, Stream& stream) {
    const stage3::AtExit close([&stream] { stream.close(); });
    co_await room.stay(stream);
}

/// A client, and its task in the room.
struct Member {
    Member(stage3::EventLoop& loop, Room& room,
           std::pair<common::Socket, common::Socket> ends)
        : client(std::move(ends.first)), stream(loop, std::move(ends.second)),
          task(stage3::create_task(loop, serve_one(room, stream))) {}

    tests::Client client;
    Stream stream;
    stage3::Task<> task;
};

class RoomTest : public tests::ClientTest {
  public:
    RoomTest() = default;
    RoomTest(const RoomTest&) = delete;
    RoomTest& operator=(const RoomTest&) = delete;
    ~RoomTest() { loop.close(); }

    Member& enter() {
        members.push_back(std::make_unique<Member>(loop, room, connection()));
        settle();
        return *members.back();
    }
    void say(Member& member, std::string_view text) {
        member.client.send(text);
        settle();
        check_nothing_escaped();
    }
    void check_nothing_escaped() const {
        for (const auto& member : members) {
            const std::string what = tests::escaped(member->task);
            REQUIRE_MESSAGE(what.empty(), "an exception has left stay: " << what);
        }
    }
    /// A line with its number, as long as a line may be.
    static std::string line(int number) {
        return fmt::format("{:{}}\n", number, longest_line - 1);
    }

    Room room;
    std::vector<std::unique_ptr<Member>> members;
};

} // namespace

TEST_SUITE("who hears what") {
    TEST_CASE_FIXTURE(RoomTest, "all other clients hear a line") {
        Member& a = enter();
        Member& b = enter();
        Member& c = enter();
        CHECK_MESSAGE(room.size() == 3,
                      "three clients have entered. How many are in the room?");
        say(a, "hello\n");
        const std::string got = b.client.receive();
        REQUIRE_MESSAGE(!got.empty(), "a has said \"hello\\n\", and b heard nothing.");
        CHECK_MESSAGE(got == "hello\n",
                      "a has said \"hello\\n\", and b heard \"" << got << "\"");
        CHECK_MESSAGE(c.client.receive() == "hello\n",
                      "c should have heard it, too, and just once.");
        REQUIRE_MESSAGE(a.client.receive().empty(),
                        "a hears what it has said itself. Send it to the others only.");
    }

    TEST_CASE_FIXTURE(RoomTest, "whole lines are passed on in order") {
        Member& a = enter();
        Member& b = enter();
        Member& c = enter();
        say(a, "on");
        CHECK_MESSAGE(c.client.receive().empty(),
                      "a line is passed on only when it is whole.");
        say(b, "two\nthree\n");
        say(a, "e\nfour\n");
        CHECK(c.client.receive() == "two\nthree\none\nfour\n");
        CHECK(a.client.receive() == "two\nthree\n");
        CHECK(b.client.receive() == "one\nfour\n");
    }

    TEST_CASE_FIXTURE(RoomTest, "a client that comes later hears only what follows") {
        Member& a = enter();
        say(a, "anybody there?\n");
        Member& b = enter();
        say(a, "hello\n");
        CHECK(b.client.receive() == "hello\n");
    }
}

TEST_SUITE("who leaves") {
    TEST_CASE_FIXTURE(RoomTest, "a client that finishes leaves the room") {
        Member& a = enter();
        Member& b = enter();
        Member& c = enter();
        b.client.finish();
        settle();
        CHECK_MESSAGE(b.task.done(), "b has finished, but its task has not.");
        check_nothing_escaped();
        CHECK_MESSAGE(room.size() == 2, "b has left, and two clients should be here.");
        say(a, "hello\n");
        CHECK(c.client.receive() == "hello\n");
    }

    TEST_CASE_FIXTURE(RoomTest, "a client whose connection breaks leaves the room") {
        Member& a = enter();
        Member& b = enter();
        Member& c = enter();
        say(a, "hello\n");
        b.client.close(); // without having read it, so that's not a proper end
        say(a, "hello?\n");
        CHECK_MESSAGE(b.task.done(), "b's connection is broken, but its task continues.");
        check_nothing_escaped();
        CHECK_MESSAGE(room.size() == 2, "b has gone, and two clients should be here.");
        CHECK(c.client.receive() == "hello\nhello?\n");
    }

    TEST_CASE_FIXTURE(RoomTest, "a client whose line is too long leaves the room") {
        Member& a = enter();
        Member& b = enter();
        say(a, std::string(longest_line - 1, 'x') + '\n');
        CHECK(b.client.receive().size() == longest_line);
        say(a, std::string(longest_line, 'x'));
        CHECK_MESSAGE(a.task.done(), "a's line is too long, and a should be gone.");
        CHECK(b.client.receive().empty());
        CHECK(room.size() == 1);
    }

    TEST_CASE_FIXTURE(RoomTest, "a client whose task is cancelled leaves the room") {
        enter();
        Member& b = enter();
        b.task.cancel();
        settle();
        REQUIRE_MESSAGE(b.task.done(), "b's task was asked to end, but continues.");
        REQUIRE_MESSAGE(
            room.size() == 1,
            "b's task was asked to end, and has ended. But b is still a member: the next "
            "client that says something writes to a stream that is gone.");
    }
}

TEST_SUITE("who doesn't read") {
    TEST_CASE_FIXTURE(RoomTest, "a client that does not read holds up no other") {
        Member& a = enter();
        Member& b = enter();
        Member& c = enter();
        for (int i = 0; i < 300; ++i) {
            const bool was_here = !b.stream.closed();
            say(a, line(i));
            const bool heard = c.client.receive() == line(i);
            REQUIRE_MESSAGE((heard || !was_here || !b.stream.closed()),
                            "b was too far behind, and was closed. But just then, c "
                            "missed a line: c comes after b in the list, and you "
                            "continued with the member after c, or not at all.");
            REQUIRE_MESSAGE(heard, "b doesn't read. In line "
                                       << i
                                       << ", a said something, and c heard nothing: c "
                                          "has to wait until b has read.");
            if (b.stream.unsent() <= most_unsent)
                continue;
            say(a, line(++i));
            REQUIRE_MESSAGE((c.client.receive() == line(i)),
                            "b doesn't read, and no client hears what a says. a's task "
                            "waits for b, and so a itself is held up.");
            for (; i < 300; ++i)
                say(a, line(i));
            FAIL("b doesn't read, but is still in the room after 300 lines. The text "
                 "that you keep for it has grown to "
                 << b.stream.unsent() << " bytes, and there is no end to it.");
        }
        REQUIRE_MESSAGE(b.stream.closed(),
                        "b hasn't read any of 300 lines, and you don't keep them for it. "
                        "Now there is a gap in the text that b will read, and b can't "
                        "know that. Close its connection instead.");
    }

    TEST_CASE_FIXTURE(RoomTest,
                      "a client that falls too far behind is closed and leaves") {
        Member& a = enter();
        Member& b = enter();
        for (int i = 0; i < 300 && !b.stream.closed(); ++i)
            say(a, line(i));
        CHECK(b.stream.closed());
        CHECK_MESSAGE(b.task.done(), "b was closed, but its task continues.");
        CHECK_MESSAGE(room.size() == 1, "b was closed, and only a should be here.");
        b.client.receive();
        CHECK(b.client.ended());
    }

    TEST_CASE_FIXTURE(RoomTest, "two slow clients are closed and the others stay") {
        Member& a = enter();
        Member& slow = enter();
        Member& b = enter();
        const Member& slow_too = enter();
        Member& c = enter();
        for (int i = 0; i < 300; ++i) {
            Member& speaker = i % 2 == 0 ? a : b;
            say(speaker, line(i));
            REQUIRE((c.client.receive() == line(i)));
            REQUIRE(((i % 2 == 0 ? b : a).client.receive() == line(i)));
        }
        CHECK(slow.stream.closed());
        CHECK(slow_too.stream.closed());
        CHECK(room.size() == 3);
        slow.client.close();
        say(c, "the end\n");
        CHECK(a.client.receive() == "the end\n");
    }

    TEST_CASE_FIXTURE(RoomTest,
                      "a client that is slow for a while stays and gets every line") {
        Member& a = enter();
        Member& b = enter();
        std::string said;
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 300 && b.stream.unsent() + longest_line <= most_unsent;
                 ++i) {
                said = line(i);
                say(a, said);
                REQUIRE_MESSAGE(!b.stream.closed(),
                                "b was slow for a moment, and you closed it. Being a "
                                "little behind is allowed: up to "
                                    << most_unsent << " bytes may wait for it.");
            }
            CHECK(b.stream.unsent() > most_unsent / 2);
            std::string all;
            for (std::string piece = b.client.receive(); !piece.empty();
                 piece = b.client.receive()) {
                all += piece;
                settle();
            }
            CHECK(all.size() % longest_line == 0);
            for (std::size_t i = 0; i < all.size() / longest_line; ++i)
                REQUIRE((all.substr(i * longest_line, longest_line)
                         == line(static_cast<int>(i))));
            CHECK_MESSAGE(all.ends_with(said),
                          "b has read everything, but the last line is missing.");
        }
        CHECK(room.size() == 2);
    }
}
