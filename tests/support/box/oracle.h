// What a crawl of a Site must have reported, and how it must have behaved: a judge that
// shares no code with the crawler.
//
// It knows no tasks, no queues and no gates. It looks at what the servers were asked and
// what they said, and plays that again, URL by URL, as the book's rules have it. Times
// matter to it only for manners: pauses, and how many requests are under way at once.
#pragma once

#include "tests/support/box/play.h"
#include "tests/support/box/site.h"

#include <string>
#include <vector>

namespace tests::box {

/// What is wrong, a line each; nothing if all is as it must be. The first word says which
/// part of the rules, so that faults can be counted by kind.
std::vector<std::string> judge(const Site& site, const Played& played);

} // namespace tests::box
