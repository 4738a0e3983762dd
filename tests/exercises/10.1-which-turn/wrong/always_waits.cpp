// hint: is not waited for
#include "exercise.h"

const Answers prediction = {
    .soon = 1342,
    .resolved = 2341,
    .task = 14523,
    .done = 13524,
    .timer = 2134,
};
