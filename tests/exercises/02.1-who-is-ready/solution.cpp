// "Ready" is a statement about now: a call would not have to wait. It's neither news nor
// success. All fourteen numbers follow from this.
#include "exercise.h"

const Answers prediction = {
    // Two bytes are still there in turn 2, so a read still need not wait. This is what
    // "level-triggered" means, and why a loop may read as little at a time as it likes.
    .unread_turn_1 = 1,
    .unread_turn_2 = 1,
    .unread_turn_3 = 0,

    // Nearly always there is room, so nearly always a socket is ready for writing: watch
    // for
    // it only while you have something to send, or your loop never sleeps.
    .room_at_first = 2,
    .room_after_full = 0,

    // A read returns 0 without waiting, now and for ever. Who doesn't stop watching such
    // a
    // socket is woken again at once, and runs in circles.
    .gone_first_receive = 3,
    .gone_ready = 1,
    .gone_second_receive = 0,
    .gone_ready_again = 1,

    // The "error" is operation_in_progress (EINPROGRESS): no failure, only no answer yet.
    // The answer comes as readiness for writing. There is nothing to read, the other side
    // having sent nothing.
    .made_connect_error = 1,
    .made_ready = 2,
    .made_pending_error = 0,

    // Neither a read nor a write would wait: both fail at once. So the socket is ready
    // for
    // all that it's watched for, and only error() tells this from success.
    .refused_ready = 3,
    .refused_pending_error = 1,
};
