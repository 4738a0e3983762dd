// Plain: crawl, fetch, parse. Callbacks: crawl, loop, read_response, parse. What has
// returned is not on the stack, whatever it has begun; and a `try` is over when its block
// is left.
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
