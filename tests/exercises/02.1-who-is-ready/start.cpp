// What do the five scenes of program.cpp find? Put a number in place of each
// `unanswered`. exercise.h says what each one asks. For events, 0 is nothing, 1 is read,
// 2 is write, and 3 is both.
#include "exercise.h"

const Answers prediction = {
    // Bytes that stay unread: how many descriptors are ready?
    .unread_turn_1 = unanswered,
    .unread_turn_2 = unanswered,
    .unread_turn_3 = unanswered,

    // Room to write: for which events?
    .room_at_first = unanswered,
    .room_after_full = unanswered,

    // The peer has gone.
    .gone_first_receive = unanswered,
    .gone_ready = unanswered,
    .gone_second_receive = unanswered,
    .gone_ready_again = unanswered,

    // A connection that is made.
    .made_connect_error = unanswered,
    .made_ready = unanswered,
    .made_pending_error = unanswered,

    // A connection that is refused.
    .refused_ready = unanswered,
    .refused_pending_error = unanswered,
};
