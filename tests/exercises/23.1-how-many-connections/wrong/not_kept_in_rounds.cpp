// hint: lie idle when the second round
#include "exercise.h"

const Answers prediction = {
    .in_turn = 1,
    .at_once = 4,
    .redirected = 1,
    .unread = 1,
    .unfinished = 2,
    .cancelled = 2,
    .closed = 3,
    .sessions = 2,
};
