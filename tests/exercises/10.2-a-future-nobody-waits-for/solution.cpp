// Clara orders rice twice: a line was copied, and only half of it was changed. The
// second future takes the place of the first one in the kitchen, and is resolved. She
// waits for the first one, and nothing that could resolve it has it any longer. The
// loop has nothing to do, and sleeps.
#include "exercise.h"

const Answers found_by_reader = {
    .stands = 56,
    .since = 4,
    .awaited = 53,
    .lost = 54,
    .turn = 5,
};
