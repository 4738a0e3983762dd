// hint: In select the loop sleeps
#include "exercise.h"

const Answers found_by_reader = {
    .line = 94,
    .turn = 4,
    .milliseconds = 100,
    .waiting = 2,
    .next_turn = 4,
};
