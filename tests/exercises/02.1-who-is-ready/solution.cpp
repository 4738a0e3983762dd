// "Ready" is a statement about this moment: a call would not have to wait. It is neither
// news nor a promise of success, and all fourteen numbers follow from that.
#include "exercise.h"

const Answers prediction = {
    // In turn 2, two bytes are still there, so a read still need not wait. That is what
    // "level-triggered" means, and it's why a loop may read as little at a time as it
    // likes.
    .unread_turn_1 = 1,
    .unread_turn_2 = 1,
    .unread_turn_3 = 0,

    // There is nearly always room, so a socket is nearly always ready for writing. Watch
    // for it only while you have something to send, or your loop never sleeps.
    .room_at_first = 2,
    .room_after_full = 0,

    // From now on a read always returns 0 without waiting. A loop that keeps watching
    // such a socket wakes up again at once, and runs in circles.
    .gone_first_receive = 3,
    .gone_ready = 1,
    .gone_second_receive = 0,
    .gone_ready_again = 1,

    // The "error" is operation_in_progress (EINPROGRESS), which is not a failure: there
    // is no answer yet. It comes as readiness for writing. There is nothing to read,
    // because the other side has sent nothing.
    .made_connect_error = 1,
    .made_ready = 2,
    .made_pending_error = 0,

    // Neither a read nor a write would wait, since both fail at once. So the socket is
    // ready for everything it is watched for, and only error() tells this from success.
    .refused_ready = 3,
    .refused_pending_error = 1,
};
