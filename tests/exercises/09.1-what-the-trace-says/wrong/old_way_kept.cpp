// hint: its way ended there
#include "exercise.h"

const Answers prediction = {
    .plain = 3,
    .rethrown = 3,
    .another = 3,
    .helper = 3,
    .caught = 1,
    .destroyed = 1,
};
