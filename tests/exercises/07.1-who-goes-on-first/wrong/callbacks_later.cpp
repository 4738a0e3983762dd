// hint: calls those who wait before it returns
#include "exercise.h"

const Answers prediction = {
    .made = 124,
    .resolved = 14523,
    .two = 1324,
    .nested = 14253,
    .late = 13,
};
