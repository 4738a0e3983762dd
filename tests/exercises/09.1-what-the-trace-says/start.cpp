// What does the trace say? Read program.cpp, and put a number in place of each
// `unanswered`.
#include "exercise.h"

const Answers prediction = {
    .plain = unanswered,
    .rethrown = unanswered,
    .another = unanswered,
    .helper = unanswered,
    .caught = unanswered,
    .destroyed = unanswered,
};
