// hint: The outer one stands still meanwhile
#include "exercise.h"

const Answers prediction = {
    .futures = 4,
    .boss_goes_on = 4,
    .depth = 3,
    .last_depth = 2,
    .value = 1234,
    .frames = 5,
};
