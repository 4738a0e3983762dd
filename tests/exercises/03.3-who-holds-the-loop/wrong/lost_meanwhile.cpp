// hint: while nobody asks is not lost
#include "exercise.h"

const Answers found_by_reader = {
    .line = 94,
    .turn = 2,
    .milliseconds = 40,
    .waiting = 2,
    .next_turn = 2,
};
