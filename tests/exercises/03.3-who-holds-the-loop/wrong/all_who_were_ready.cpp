// hint: it does not wait for itself
#include "exercise.h"

const Answers found_by_reader = {
    .line = 94,
    .turn = 2,
    .milliseconds = 40,
    .waiting = 4,
    .next_turn = 4,
};
