// hint: the value that is sent belongs to the co_yield where it stands
#include "exercise.h"

const Answers prediction = {
    .begun_by_call = 0,
    .first = 0,
    .second = 0,
    .third = 5,
    .result = 24,
    .after_throw = 100,
    .second_result = 202,
    .ended_twice = 0,
};
