// Which callbacks run in the five scenes of program.cpp, in which order? Put a number in
// place of each `unanswered`: 123 means first 1, then 2, then 3.
#include "exercise.h"

const Answers prediction = {
    .all_ready = unanswered,
    .unread = unanswered,
    .forbidden = unanswered,
    .made_ready = unanswered,
    .stopped = unanswered,
};
