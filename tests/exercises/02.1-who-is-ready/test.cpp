// start fails in: bytes that nobody reads
// start fails with: unread_turn_1 is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("bytes that nobody reads") {
    check("unread_turn_1", &Answers::unread_turn_1,
          "three bytes have arrived at a socket that is watched for reading.");
    check("unread_turn_2", &Answers::unread_turn_2,
          "a selector is no bell that rings for news. It tells whether a read would have "
          "to wait now. What is left to read after one byte? See `Selector` in "
          "common/system/selector.h: level-triggered.");
    check("unread_turn_3", &Answers::unread_turn_3,
          "there were three bytes, and all three are read. Would one more read have to "
          "wait?");
}

TEST_CASE("room to write") {
    check("room_at_first", &Answers::room_at_first,
          "ask twice. Would a read have to wait? Would a write have to wait? A write "
          "waits only while the kernel's buffer for this socket is full.");
    check("room_after_full", &Answers::room_after_full,
          "send said that it would block. What does that say about the buffer, and has "
          "anything come in?");
}

TEST_CASE("the peer has gone") {
    check("gone_first_receive", &Answers::gone_first_receive,
          "what was sent before the close still arrives. How long is \"bye\"?");
    check("gone_ready", &Answers::gone_ready,
          "\"nothing will ever come again\" is an answer that a read gets without "
          "waiting. See `receive` in common/system/socket.h.");
    check("gone_second_receive", &Answers::gone_second_receive,
          "the bytes are read, and the peer has finished. See `receive` in "
          "common/system/socket.h.");
    check("gone_ready_again", &Answers::gone_ready_again,
          "the selector forgets nothing when it has told you once. Would one more read "
          "have to wait?");
}

TEST_CASE("a connection that is made") {
    check("made_connect_error", &Answers::made_connect_error,
          "connect may not wait, so it has to come back before the other side has "
          "answered. How would it tell you so? See `connect` in common/system/socket.h.");
    check("made_ready", &Answers::made_ready,
          "the connection stands, and the other side has sent nothing. Ask twice, for a "
          "read and for a write: would it have to wait?");
    check("made_pending_error", &Answers::made_pending_error,
          "error() is the outcome of connect. What was the outcome here?");
}

TEST_CASE("a connection that is refused") {
    check("refused_ready", &Answers::refused_ready,
          "ready does not mean that all is well. It means that the call would not wait, "
          "and a call that fails at once has not waited. See `select` in "
          "common/system/selector.h.");
    check("refused_pending_error", &Answers::refused_pending_error,
          "somewhere the program must learn that it was refused, and the selector "
          "doesn't say. See `error` in common/system/socket.h.");
}
