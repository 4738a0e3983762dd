// hint: subtract that of its begin
#include "exercise.h"

const Answers found_by_reader = {
    .line = 94,
    .turn = 2,
    .milliseconds = 20,
    .waiting = 2,
    .next_turn = 4,
};
