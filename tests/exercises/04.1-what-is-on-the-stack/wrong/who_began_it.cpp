// hint: it had returned long before
#include "exercise.h"

const Answers prediction = {
    .plain_depth = 3,
    .plain_fetch = 1,
    .callback_depth = 6,
    .callback_fetch = 1,
    .callback_connected = 1,
    .plain_caught = 1,
    .callback_caught = 0,
    .callback_second = 0,
};
