// What does the trace say? Read program.cpp, and write the numbers here.
#include "exercise.h"

const Answers prediction = {
    .plain = unanswered,
    .rethrown = unanswered,
    .another = unanswered,
    .helper = unanswered,
    .caught = unanswered,
    .destroyed = unanswered,
};
