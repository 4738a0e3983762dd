// hint: the same exception goes on
#include "exercise.h"

const Answers prediction = {
    .plain = 3,
    .rethrown = 2,
    .another = 2,
    .helper = 3,
    .caught = 1,
    .destroyed = 1,
};
