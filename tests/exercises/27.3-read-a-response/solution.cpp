// The body begins after the first empty line. It ends where Content-Length says or,
// without one, where the server closes. A status such as 404 is not an error, since the
// response is whole and means what it says; missing bytes are.
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
