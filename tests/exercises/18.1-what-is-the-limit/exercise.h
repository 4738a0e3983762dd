// The questions. program.cpp finds the true answers; yours.cpp holds what you predict.
#pragma once

/// A question that you have not answered.
constexpr int unanswered = -1;

/// What is the limit? The thing that is busy all the time, while the others have time to
/// spare.
constexpr int workers = 1; ///< all of them are under way, mostly waiting
constexpr int loop_thread = 2;
constexpr int parse_threads = 3;
constexpr int line = 4;

/// All numbers are round: the first digit counts, so 487 is 500, and 2,140 is 2000.
struct Answers {
    // near: one worker, and a server that answers as fast as the crawler computes
    int near_pages = unanswered;     ///< pages per second
    int near_with_four = unanswered; ///< the same, with 4 workers
    // far: 10 workers
    int far_limit = unanswered;
    int far_pages = unanswered;        ///< pages per second
    int far_with_hundred = unanswered; ///< the same, with 100 workers
    // many: like far, but with 1000 workers, and twice as much to compute for each page
    int many_limit = unanswered;
    int many_pages = unanswered;      ///< pages per second
    int many_time = unanswered;       ///< milliseconds that a worker spends on a page
    int many_time_twice = unanswered; ///< the same, with 2000 workers
    // narrow: large pages
    int narrow_limit = unanswered;
    int narrow_pages = unanswered; ///< pages per second
    // reading: two threads for it
    int reading_limit = unanswered;
    int reading_pages = unanswered;      ///< pages per second
    int reading_with_eight = unanswered; ///< the same, with 8 threads
    int eight_limit = unanswered;        ///< and what is the limit then?
};

/// What you think. Defined in yours.cpp.
extern const Answers prediction;

/// Plays the scenes. Defined in program.cpp.
Answers run_program();
