// For each thing, ask how many pages per second it could handle by itself; the smallest
// of these numbers is the speed. A worker handles one page at a time, so the workers
// together handle their number divided by the time that a page takes.
#include "exercise.h"

const Answers prediction = {
    .near_pages = 100,
    .near_with_four = 200,
    .far_limit = workers,
    .far_pages = 200,
    .far_with_hundred = 2000,
    .many_limit = loop_thread,
    .many_pages = 5000,
    .many_time = 200,
    .many_time_twice = 400,
    .narrow_limit = line,
    .narrow_pages = 100,
    .reading_limit = parse_threads,
    .reading_pages = 4000,
    .reading_with_eight = 10000,
    .eight_limit = loop_thread,
};
