// hint: gives back its item
#include "exercise.h"

const Answers prediction = {
    .orders = 213312,
    .newcomer = 97,
    .cancelled = 2738,
    .room = 124,
    .joined = 11225,
    .links = 15,
};
