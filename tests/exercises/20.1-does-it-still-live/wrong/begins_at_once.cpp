// hint: makes its first step in the next turn
#include "exercise.h"

const Answers prediction = {
    .awaited = lives,
    .first_line = lives,
    .view = gone,
    .named = lives,
    .handed_out = gone,
    .in_group = lives,
    .in_list = lives,
    .in_callback = gone,
};
