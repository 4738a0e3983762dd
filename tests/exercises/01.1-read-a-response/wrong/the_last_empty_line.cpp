// hint: only the first empty line ends the headers
#include "exercise.h"

const Answers prediction = {
    .plain_bytes = 5,
    .empty_line_bytes = 1,
    .not_found_error = 0,
    .not_found_status = 404,
    .shorter_bytes = 3,
    .shorter_error = 0,
    .longer_error = 1,
    .nothing_error = 1,
};
