// hint: nothing comes of it in
#include "exercise.h"

const Answers found_by_reader = {
    .stands = 56,
    .since = 4,
    .awaited = 53,
    .lost = 54,
    .turn = 6,
};
