// What is recorded? Read program.cpp, then put a number in place of each `unanswered`.
#include "exercise.h"

const Answers prediction = {
    .orders = unanswered,
    .newcomer = unanswered,
    .cancelled = unanswered,
    .room = unanswered,
    .joined = unanswered,
    .links = unanswered,
};
