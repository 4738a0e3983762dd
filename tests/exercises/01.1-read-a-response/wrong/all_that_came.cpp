// hint: the length that the server promised
#include "exercise.h"

const Answers prediction = {
    .plain_bytes = 5,
    .empty_line_bytes = 6,
    .not_found_error = 0,
    .not_found_status = 404,
    .shorter_bytes = 5,
    .shorter_error = 0,
    .longer_error = 0,
    .nothing_error = 1,
};
