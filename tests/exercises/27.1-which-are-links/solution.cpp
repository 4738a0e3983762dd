#include "exercise.h"

const Answers prediction = {
    .slash = 1,
    .comment = 2, // 2 and 3: "<!-->" is a whole comment; "-- >" ends none
    .quotes = 1,  // in the second line, the value is "<a", and href belongs to p
    .text_area = 1,
    .no_script = 1,
    .script = 1,
    .cut_off = 1,
    .twice = 1,
};
