// hint: only task_done does
#include "exercise.h"

const Answers prediction = {
    .orders = 213312,
    .newcomer = 97,
    .cancelled = 2837,
    .room = 124,
    .joined = 11522,
    .links = 15,
};
