// hint: the temporary waits, too
#include "exercise.h"

const Answers prediction = {
    .awaited = gone,
    .first_line = gone,
    .view = gone,
    .named = lives,
    .handed_out = gone,
    .in_group = lives,
    .in_list = lives,
    .in_callback = gone,
};
