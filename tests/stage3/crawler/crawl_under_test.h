// A crawl of scripted servers, with its results for a test to check.
#pragma once

#include "stage3_queue_crawler/crawler/crawler.h"
#include "tests/support/faults.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"

namespace tests {

using stage3::CrawlSettings;
using stage3::Ending;
using stage3::EventLoop;
using stage3::OrderName;
using stage3::Outcome;
using stage3::Pattern;
using stage3::Reach;
using stage3::Record;
using Clock = std::chrono::steady_clock;

/// A page with these links.
Reply page(const std::vector<std::string>& links);

/// A copy of a record, for use after the crawl is gone.
struct Said {
    std::string url;
    std::string parent; // empty if there is none
    std::size_t depth = 0;
    Outcome outcome = Outcome::failed;
    int status = 0;
    std::string next_url;
    std::string error;
    std::string content_type;
    std::string charset;
    std::size_t bytes = 0;
    std::size_t links = 0;
    std::size_t new_links = 0;
    int tries = 0;
    double seconds = 0;
};

struct Result {
    Ending ending = Ending::complete;
    std::vector<Said> records;
    std::vector<std::string> notes;
    stage3::Progress progress;
    std::vector<stage3::LeftOut> left_out;
    double seconds = 0;

    const Said& operator[](const std::string& url) const {
        const auto found = std::ranges::find(records, url, &Said::url);
        REQUIRE_MESSAGE(found != records.end(), "no record of " << url);
        REQUIRE(std::ranges::count(records, url, &Said::url) == 1);
        return *found;
    }
    std::vector<std::string> urls() const {
        std::vector<std::string> result;
        for (const Said& record : records)
            result.push_back(record.url);
        return result;
    }
};

/// A crawl's settings. `during`, if set, is called in the loop with the crawl's task
/// before it begins. A test may let the loop's `clock` jump ahead or run slowly: pauses,
/// retries and the crawl's time limit go by it, but not libcurl's limits of a fetch.
struct Setup {
    CrawlSettings settings;
    stage3::CrawlEvents events = {};
    stage3::CrawlHelpers helpers = {};
    bool obey_robots = false;
    Reach reach = Reach::host;
    std::function<Clock::time_point()> clock = Clock::now;
    /// For a loop that isn't real, with a clock of its own: Result::seconds go by that.
    std::function<stage3::LoopOptions()> make_loop = {};
    std::vector<Pattern> excluded = {};
    std::function<void(EventLoop&, stage3::Task<Ending>&)> during = {};
    std::function<void(const Record&)> on_record = {};
    std::function<void(const std::string&)> on_note = {};

    Result crawl(const std::vector<std::string>& roots);
    Result crawl(const std::string& root) { return crawl(std::vector{root}); }
};

} // namespace tests
