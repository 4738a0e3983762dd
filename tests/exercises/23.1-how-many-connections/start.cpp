// How many connections? Read program.cpp, and write the numbers here.
#include "exercise.h"

const Answers prediction = {
    .in_turn = unanswered,
    .at_once = unanswered,
    .redirected = unanswered,
    .unread = unanswered,
    .unfinished = unanswered,
    .cancelled = unanswered,
    .closed = unanswered,
    .sessions = unanswered,
};
