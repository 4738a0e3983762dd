// hint: room goes to the putter who waits
#include "exercise.h"

const Answers prediction = {
    .orders = 213312,
    .newcomer = 97,
    .cancelled = 2837,
    .room = 1324,
    .joined = 11225,
    .links = 15,
};
