// hint: a task stands where it was suspended last
#include "exercise.h"

const Answers found_by_reader = {
    .stands = 57,
    .since = 4,
    .awaited = 53,
    .lost = 54,
    .turn = 5,
};
