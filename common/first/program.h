// What the smallest programs that crawl have in common: all but the crawl.
#pragma once

#include "common/web/url.h"

#include <functional>
#include <set>

namespace first {

/// Crawls the site that the command line names, and prints its URLs. Returns the
/// program's exit status: 0; 1 if `crawl` throws, 2 if there is no http URL, with a line
/// on stderr.
int run_program(int argc, char** argv,
                const std::function<std::set<common::Url>(const common::Url&)>& crawl);

} // namespace first
