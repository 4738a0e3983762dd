// Stages 1 and 2 crawl alike, so both have to pass the same tests. A separate file among
// each stage's tests says how that stage crawls.
#pragma once

#include "common/simple_crawl/crawl.h"
#include "common/system/selector.h"

#include <string>
#include <utility>

namespace tests {

/// Runs `crawl` with the fetches of the stage that this test program is for.
common::Summary run_with_stage(common::Crawl& crawl);

/// The same for a crawl from this URL.
inline common::Summary crawl_with_stage(const std::string& root,
                                        common::Tracer tracer = {},
                                        common::Settings settings = {}) {
    common::EventLoop loop(common::make_selector(), tracer);
    common::Crawl crawl(*common::parse_url(root), loop, tracer, std::move(settings));
    return run_with_stage(crawl);
}

} // namespace tests
