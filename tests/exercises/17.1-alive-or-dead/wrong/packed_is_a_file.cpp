// hint: it's a page in a wrapping
#include "exercise.h"

const Answers prediction = {
    .empty = file,
    .gone = error,
    .unchanged = error,
    .odd = error,
    .busy = error,
    .abroad = redirect,
    .mail = redirect,
    .script = error,
    .nowhere = error,
    .itself = failed,
    .cut = failed,
    .no_promise = page,
    .too_much = page,
    .two_lengths = failed,
    .packed = file,
    .packed_cut = failed,
    .gone_cut = error,
    .moved_cut = redirect,
    .asked_cut = 2,
    .asked_two_lengths = 1,
    .asked_busy = 1,
};
