// The body begins behind the first empty line, and ends where Content-Length says or,
// without one, where the server closes. A status is no error: the response is whole, and
// says what the server has to say. Bytes that were promised and did not come are an
// error.
#include "exercise.h"

const Answers prediction = {
    .plain_bytes = 5,
    .empty_line_bytes = 6,
    .not_found_error = 0,
    .not_found_status = 404,
    .shorter_bytes = 3,
    .shorter_error = 0,
    .longer_error = 1,
    .nothing_error = 1,
};
