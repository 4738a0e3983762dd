// hint: stands where it was registered
#include "exercise.h"

const Answers found_by_reader = {
    .line = 65,
    .turn = 2,
    .milliseconds = 40,
    .waiting = 2,
    .next_turn = 4,
};
