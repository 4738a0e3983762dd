// hint: somebody else can't keep up
#include "exercise.h"

const Answers prediction = {
    .near_pages = 100,
    .near_with_four = 200,
    .far_limit = workers,
    .far_pages = 200,
    .far_with_hundred = 2000,
    .many_limit = workers,
    .many_pages = 20000,
    .many_time = 50,
    .many_time_twice = 50,
    .narrow_limit = line,
    .narrow_pages = 100,
    .reading_limit = parse_threads,
    .reading_pages = 4000,
    .reading_with_eight = 10000,
    .eight_limit = loop_thread,
};
