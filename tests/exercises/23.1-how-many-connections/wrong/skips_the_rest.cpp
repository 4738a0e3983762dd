// hint: in the way of the next answer
#include "exercise.h"

const Answers prediction = {
    .in_turn = 1,
    .at_once = 2,
    .redirected = 1,
    .unread = 1,
    .unfinished = 1,
    .cancelled = 2,
    .closed = 3,
    .sessions = 2,
};
