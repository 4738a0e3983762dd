#include "exercise.h"

const Answers prediction = {
    .letters = missing,
    .top = found,
    .old = found,
    .logo = missing,
    .blank = found,
    .percent = found,
    .script = missing,
    .text = found,
    .end = found,
};
