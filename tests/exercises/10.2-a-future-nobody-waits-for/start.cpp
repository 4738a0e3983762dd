// Why does a guest wait in vain? Look at run.trace, and put a number in place of each
// `unanswered`.
#include "exercise.h"

const Answers found_by_reader = {
    .stands = unanswered,
    .since = unanswered,
    .awaited = unanswered,
    .lost = unanswered,
    .turn = unanswered,
};
