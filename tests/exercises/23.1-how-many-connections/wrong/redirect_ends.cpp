// hint: an answer like any other
#include "exercise.h"

const Answers prediction = {
    .in_turn = 1,
    .at_once = 2,
    .redirected = 2,
    .unread = 1,
    .unfinished = 2,
    .cancelled = 2,
    .closed = 3,
    .sessions = 2,
};
