// Crawls a Site, with all that belongs to it: Ctrl-C, time limits, a process that dies
// and another that continues its crawl.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "tests/support/box/site.h"
#include "tests/support/box/web.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tests::box {

/// A record, and when it came.
struct Told {
    Time time{};
    stage3::Record record;
};

/// One process of a crawl. Most crawls have one.
struct Process {
    Time begin{};
    Time end{};
    std::size_t first_request = 0;             ///< in Played::requests
    std::optional<stage3::Ending> ending = {}; ///< none: it has died, or failed
    bool has_died = false;                     ///< as it was to
    std::vector<Told> records = {};
    std::vector<std::string> faults = {}; ///< what can be seen without an oracle
};

struct Played {
    std::deque<Request> requests;
    std::vector<Process> processes;

    /// The requests of one process.
    std::vector<const Request*> requests_of(std::size_t process) const;
};

/// Never throws because of the crawler: that is a fault.
Played play(const Site& site);

/// Requests and records in the order of their times, a line each.
std::string timeline(const Played& played);
/// What came of each URL, in the order of URLs, without times.
std::string results(const Played& played);

} // namespace tests::box
