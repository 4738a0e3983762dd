// start fails in: bytes that stay unread
// start fails with: unread_turn_1 is not answered yet
#include "exercise.h"
#include "tests/support/prediction.h"

#include <doctest/doctest.h>

static const tests::Questions check(prediction, run_program);

TEST_CASE("bytes that stay unread") {
    check(
        "unread_turn_1", &Answers::unread_turn_1,
        "three bytes have arrived at a socket that is watched for reading. Would a read "
        "have to wait?");
    check("unread_turn_2", &Answers::unread_turn_2,
          "a selector is not a bell that rings for news. It reports whether a read would "
          "have to wait now. What is left to read after one byte? See `Selector` in "
          "common/system/selector.h, and the word level-triggered.");
    check(
        "unread_turn_3", &Answers::unread_turn_3,
        "there were three bytes, and all three have been read. Would one more read have "
        "to wait?");
}

TEST_CASE("room to write") {
    check("room_at_first", &Answers::room_at_first,
          "ask twice: would a read have to wait, and would a write? A write waits only "
          "while the kernel's buffer for this socket is full.");
    check("room_after_full", &Answers::room_after_full,
          "`send` said that it would block. What does that say about the buffer? And has "
          "anything arrived that could be read?");
}

TEST_CASE("the peer has gone") {
    check("gone_first_receive", &Answers::gone_first_receive,
          "what was sent before the close still arrives. How long is \"bye\"?");
    check("gone_ready", &Answers::gone_ready,
          "a read does not have to wait to learn that nothing more will come. See "
          "`receive` in common/system/socket.h.");
    check("gone_second_receive", &Answers::gone_second_receive,
          "the bytes have been read, and the peer has finished. What does `receive` "
          "return then? See common/system/socket.h.");
    check("gone_ready_again", &Answers::gone_ready_again,
          "a selector doesn't stop reporting a socket because it has reported it once. "
          "Would one more read have to wait?");
}

TEST_CASE("a connection that is made") {
    check(
        "made_connect_error", &Answers::made_connect_error,
        "`connect` must not wait, so it returns before the other side has answered. How "
        "can it say so? See `connect` in common/system/socket.h.");
    check("made_ready", &Answers::made_ready,
          "the connection has been made, and the other side has sent nothing. Ask twice: "
          "would a read have to wait, and would a write?");
    check("made_pending_error", &Answers::made_pending_error,
          "error() returns the outcome of `connect`. What was the outcome here?");
}

TEST_CASE("a connection that is refused") {
    check("refused_ready", &Answers::refused_ready,
          "ready does not mean successful. It means that the call would not wait, and a "
          "call that fails at once doesn't wait. See `select` in "
          "common/system/selector.h.");
    check("refused_pending_error", &Answers::refused_pending_error,
          "the program has to learn somewhere that it was refused, and the selector "
          "doesn't say so. See `error` in common/system/socket.h.");
}
