// Read program.cpp, and write your answers here: for each URL one of page, file,
// redirect, error, failed; and numbers at the end.
#include "exercise.h"

const Answers prediction = {
    .empty = unanswered,
    .gone = unanswered,
    .unchanged = unanswered,
    .odd = unanswered,
    .busy = unanswered,
    .abroad = unanswered,
    .mail = unanswered,
    .script = unanswered,
    .nowhere = unanswered,
    .itself = unanswered,
    .cut = unanswered,
    .no_promise = unanswered,
    .too_much = unanswered,
    .two_lengths = unanswered,
    .packed = unanswered,
    .packed_cut = unanswered,
    .gone_cut = unanswered,
    .moved_cut = unanswered,
    .asked_cut = unanswered,
    .asked_two_lengths = unanswered,
    .asked_busy = unanswered,
};
