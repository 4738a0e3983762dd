// How many links are in each page of program.cpp? Write the numbers here.
#include "exercise.h"

const Answers prediction = {
    .slash = unanswered,
    .comment = unanswered,
    .quotes = unanswered,
    .text_area = unanswered,
    .no_script = unanswered,
    .script = unanswered,
    .cut_off = unanswered,
    .twice = unanswered,
};
