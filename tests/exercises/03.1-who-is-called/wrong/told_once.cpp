// hint: told again in every turn
#include "exercise.h"

const Answers prediction = {
    .all_ready = 312,
    .unread = 12,
    .forbidden = 13,
    .made_ready = 132,
    .stopped = 12,
};
