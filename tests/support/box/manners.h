// How a crawl must treat the hosts of a Site: the part of the oracle that looks at times.
#pragma once

#include "tests/support/box/history.h"

#include <string>
#include <vector>

namespace tests::box {

std::vector<std::string> judge_manners(const Site& site, const Process& process,
                                       const History& history);

} // namespace tests::box
