// In which order are the digits recorded? Read program.cpp, then put a number in place of
// each `unanswered`.
#include "exercise.h"

const Answers prediction = {
    .soon = unanswered,
    .resolved = unanswered,
    .task = unanswered,
    .done = unanswered,
    .timer = unanswered,
};
