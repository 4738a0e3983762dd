#include "exercise.h"

const Answers prediction = {
    .asked = 7,
    .records = 3,
    .fetched = 2,
    .dead = 1,
    .queued = 7,
    .waiting = 7,
    .hidden = 0,
    .tasks = 0,
    .lost = 1,
    .middle = seen::interrupted,
    .early = seen::cancelled,
    .early_known = 0,
    .other = seen::interrupted,
    .late = seen::complete,
};
