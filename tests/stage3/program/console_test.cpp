// The words that a user sees while a crawl runs. (Where they go, and when: see
// program_test.cpp.)
#include "stage3_queue_crawler/program/console.h"

#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;
using stage3::Ending;
using stage3::Progress;

TEST_CASE("progress is a line of numbers") {
    const Progress progress{
        .fetched = 1234, .redirects = 12, .dead = 3, .in_flight = 10, .waiting = 345};
    CHECK(stage3::describe(progress, 12s)
          == "1234 fetched, 12 redirects, 3 dead; 10 under way, 345 waiting; 12 s");
}

TEST_CASE("each way to end early has its words, which name the option") {
    CHECK(stage3::describe(Ending::interrupted) == "interrupted");
    CHECK(stage3::describe(Ending::timed_out) == "the time is over (--timeout)");
    CHECK(stage3::describe(Ending::max_pages) == "enough has been fetched (--max-pages)");
}
