// Plain: crawl, fetch, parse. Callbacks: crawl, loop, read_response, parse. A function
// that has returned is not on the stack, whatever it has set going, and a `try` catches
// nothing after its block has ended.
#include "exercise.h"

const Answers prediction = {
    .plain_depth = 3,
    .plain_fetch = 1,
    .callback_depth = 4,
    .callback_fetch = 0,
    .callback_connected = 0,
    .plain_caught = 1,
    .callback_caught = 0,
    .callback_second = 0,
};
