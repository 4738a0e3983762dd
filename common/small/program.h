// What the smallest crawling programs share: everything but the crawl itself.
#pragma once

#include "common/web/url.h"

#include <functional>
#include <set>

namespace small {

/// Crawls the site named on the command line and prints its URLs, and on stderr how many
/// they are and how long it took. Returns the program's exit status: 0, or, with a line
/// on stderr, 1 if `crawl` throws and 2 if no http URL was given.
int run_program(int argc, char** argv,
                const std::function<std::set<common::Url>(const common::Url&)>& crawl);

} // namespace small
