// What is left? Read program.cpp, and write your answers here.
#include "exercise.h"

const Answers prediction = {
    .asked = unanswered,
    .records = unanswered,
    .fetched = unanswered,
    .dead = unanswered,
    .queued = unanswered,
    .waiting = unanswered,
    .hidden = unanswered,
    .tasks = unanswered,
    .lost = unanswered,
    .middle = unanswered,
    .early = unanswered,
    .early_known = unanswered,
    .other = unanswered,
    .late = unanswered,
};
