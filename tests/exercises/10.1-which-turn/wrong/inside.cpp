// hint: set_result runs nobody
#include "exercise.h"

const Answers prediction = {
    .soon = 1342,
    .resolved = 2134,
    .task = 14523,
    .done = 12354,
    .timer = 2134,
};
