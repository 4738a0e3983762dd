// Is the place there? Write found or missing here.
#include "exercise.h"

const Answers prediction = {
    .letters = unanswered,
    .top = unanswered,
    .old = unanswered,
    .logo = unanswered,
    .blank = unanswered,
    .percent = unanswered,
    .script = unanswered,
    .text = unanswered,
    .end = unanswered,
};
