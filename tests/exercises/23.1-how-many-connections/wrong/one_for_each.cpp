// hint: kept for the next request
#include "exercise.h"

const Answers prediction = {
    .in_turn = 3,
    .at_once = 2,
    .redirected = 1,
    .unread = 1,
    .unfinished = 2,
    .cancelled = 2,
    .closed = 3,
    .sessions = 2,
};
