// Stages 1 and 2 crawl alike, so both have to pass the same tests. A separate file among
// each stage's tests says how that stage crawls.
#pragma once

#include "common/simple_crawl/crawl.h"

namespace tests {

/// Runs `crawl` with the fetches of the stage that this test program is for.
common::Summary run_with_stage(common::Crawl& crawl);

} // namespace tests
