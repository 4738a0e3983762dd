// dead_links: finds the dead links of a site with ten workers, on the smallest runtime.
//
//     dead_links [OPTIONS] https://example.com/
//
// Exit status: 0 nothing is dead, 1 something is, 2 wrong usage or an error, 3 nothing
// was dead when the time was up. After Ctrl-C, it reports, and dies by the signal.
#include "common/command_line/command_line.h"
#include "common/command_line/usage_error.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/crawler.h"
#include "stage3_queue_crawler/small/interrupt.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/session.h"
#include "stage3_queue_crawler/small/task.h"

#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace stage3::small;

// [endings]
enum class Ending : std::uint8_t { complete, timed_out, interrupted };

Coroutine<> crawl_within(Loop& loop, Loop::Milliseconds limit, Crawler& crawler,
                         Ending& ending) {
    try {
        const bool in_time = co_await ends_within(loop, limit, crawler.run());
        ending = in_time ? Ending::complete : Ending::timed_out;
    } catch (const Cancelled&) {
        ending = Ending::interrupted;
    }
}
// [/endings]

// [report]
/// Prints the dead URLs, and returns the exit status.
int report(const Crawler& crawler, Ending ending) {
    std::size_t dead = 0;
    for (const auto& [url, page] : crawler.found_on())
        if (const auto why = crawler.why_dead(url); !why.empty()) {
            fmt::print("{} ({}), found on {}\n", url.href(), why, page.href());
            ++dead;
        }
    std::fflush(stdout);
    fmt::print(stderr, "{} of {} URLs done, {} dead\n", crawler.records().size(),
               crawler.found_on().size(), dead);
    if (ending == Ending::interrupted)
        std::raise(SIGINT); // dies by it, so that the shell knows
    if (dead > 0)
        return 1;
    return ending == Ending::complete ? 0 : 3;
}
// [/report]

// [check]
int check(const common::Url& root, std::chrono::seconds limit, const Settings& settings) {
    Loop loop;
    Session session(loop);
    Crawler crawler(loop, session, root, settings);
    Ending ending = Ending::complete;
    Task main(loop, crawl_within(loop, limit, crawler, ending));
    {
        const CtrlC ctrl_c(loop, [&main] { main.cancel(); });
        run_until_complete(loop, main);
    }
    return report(crawler, ending);
}
// [/check]

} // namespace

int main(int argc, char** argv) {
    try {
        std::string url;
        Settings settings;
        int limit = 3600;
        int limit_for_fetch = 30;
        common::CommandLine line("dead_links", "Finds the dead links of a web site.");
        line.add("-w,--workers", "N", "number of pages to fetch at the same time (10)",
                 common::number_into(settings.workers, 1, 1000));
        line.add("--fetch-timeout", "SECONDS", "limit for one fetch (30)",
                 common::number_into(limit_for_fetch, 1, 86'400));
        line.add("--timeout", "SECONDS", "limit for the whole crawl (3600)",
                 common::number_into(limit, 1, 86'400));
        line.add_argument("URL", "where to start", url);
        if (const auto help = line.parse(argc, argv)) {
            fmt::print("{}", *help);
            return 0;
        }
        settings.time_for_fetch = std::chrono::seconds(limit_for_fetch);
        if (const auto root = common::parse_root_url(url))
            return check(*root, std::chrono::seconds(limit), settings);
        throw common::UsageError("'" + url + "' is not an http or https URL");
    } catch (const std::exception& error) {
        fmt::print(stderr, "dead_links: {}\n", error.what());
        return 2;
    }
}
