// Who waits in the five scenes of program.cpp, and for how long? Put a number in place of
// each `unanswered`. exercise.h says what each one asks.
#include "exercise.h"

const Answers prediction = {
    // The server's program is busy: does the call wait for it? 0: no, 1: yes.
    .connect_waits = unanswered,
    .send_waits = unanswered,
    .recv_waits = unanswered,

    // One after the other.
    .one_by_one_time = unanswered,

    // A thread for each.
    .threads_time = unanswered,
    .threads_at_once = unanswered,
    .threads_asleep = unanswered,

    // With the mutex held.
    .locked_time = unanswered,

    // Links on the way.
    .links_time = unanswered,
};
