// What do both sides say? Read program.cpp, and put a number in place of each
// `unanswered`.
#include "exercise.h"

const Answers prediction = {
    .begun_by_call = unanswered,
    .first = unanswered,
    .second = unanswered,
    .third = unanswered,
    .result = unanswered,
    .after_throw = unanswered,
    .second_result = unanswered,
    .ended_twice = unanswered,
};
