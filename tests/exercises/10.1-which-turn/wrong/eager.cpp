// hint: making a task runs nothing
#include "exercise.h"

const Answers prediction = {
    .soon = 1342,
    .resolved = 2341,
    .task = 12345,
    .done = 12354,
    .timer = 2134,
};
