// Read program.cpp, and write your answers here: numbers, and for each limit one of
// workers, loop_thread, parse_threads, line.
#include "exercise.h"

const Answers prediction = {
    .near_pages = unanswered,
    .near_with_four = unanswered,
    .far_limit = unanswered,
    .far_pages = unanswered,
    .far_with_hundred = unanswered,
    .many_limit = unanswered,
    .many_pages = unanswered,
    .many_time = unanswered,
    .many_time_twice = unanswered,
    .narrow_limit = unanswered,
    .narrow_pages = unanswered,
    .reading_limit = unanswered,
    .reading_pages = unanswered,
    .reading_with_eight = unanswered,
    .eight_limit = unanswered,
};
