// hint: the kitchen can remember only one of them
#include "exercise.h"

const Answers found_by_reader = {
    .stands = 56,
    .since = 4,
    .awaited = 53,
    .lost = 53,
    .turn = 5,
};
