// Work, as it stands in the lines of the frontier in memory.
//
// A URL's way leads through several lines, some of them more than once. What they must
// know of it beyond its `Work` is here. Page 25 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/work.h"

namespace stage3 {

struct QueuedWork : Work {
    using Work::Work;

    bool goes_first = false; ///< it has had its turn, and comes back
    bool has_begun = false;  ///< its request has gone out
};

} // namespace stage3
