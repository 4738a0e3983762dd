// Clara orders rice twice: a line was copied, and only half of it was changed. In the
// kitchen, the second future replaces the first, and is resolved. She waits for the
// first, which nothing can resolve any more. The loop has nothing to do, so it sleeps.
#include "exercise.h"

const Answers found_by_reader = {
    .stands = 56,
    .since = 4,
    .awaited = 53,
    .lost = 54,
    .turn = 5,
};
