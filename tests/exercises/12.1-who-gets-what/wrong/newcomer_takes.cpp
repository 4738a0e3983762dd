// hint: a newcomer finds nothing
#include "exercise.h"

const Answers prediction = {
    .orders = 213312,
    .newcomer = 8,
    .cancelled = 2837,
    .room = 124,
    .joined = 11225,
    .links = 15,
};
