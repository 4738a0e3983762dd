// In which order are the digits recorded? Read program.cpp, then put a number in place of
// each `unanswered`.
#include "exercise.h"

const Answers prediction = {
    .polite = unanswered,
    .early = unanswered,
    .caught = unanswered,
    .late = unanswered,
    .itself = unanswered,
    .inner = unanswered,
};
