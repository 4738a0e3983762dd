// Crawls of hosts whose names take long to look up.
#include "tests/stage3/program/program_under_test.h"
#include "tests/support/waits.h"

#include <csignal>

using namespace tests;

namespace {

/// A site whose hosts have names. Each page takes a moment, and links to the next one.
struct NamedSite {
    explicit NamedSite(int pages, std::chrono::milliseconds moment = 0ms) {
        for (int i = 0; i < pages; ++i)
            server.on(i == 0 ? "/" : fmt::format("/{}", i),
                      {tests::Pause{moment},
                       html(fmt::format("<a href='/{}'>x</a>", i + 1)).front()});
    }
    std::string url(std::string_view host) const {
        return fmt::format("http://{}:{}/", host, server.port());
    }

    ScriptedServer server;
};

/// Runs the program where slow.test takes half a minute to look up.
Finished run_with_slow_names(const std::vector<std::string>& arguments,
                             const tests::RunOptions& how = {}) {
    return run_preloaded("SLOW_NAMES=30", arguments, how);
}

} // namespace

TEST_CASE("a name that takes long to look up delays no other host") {
    const NamedSite site(30);
    const TemporaryFile file;
    const Finished finished =
        run_preloaded("SLOW_NAMES_UNTIL=" + file.path(),
                      {"--format", "jsonl", "-w", "2", "--no-robots", "-d", "29",
                       site.url("slow.test"), site.url("fast.test")},
                      {.meanwhile = [&](pid_t) {
                          wait_until([&] { return site.server.requests().size() >= 30; });
                          wait_until_it_rests(site.server);
                          file.write();
                      }});
    const auto records = lines(finished.out);
    REQUIRE(records.size() == 60);
    for (std::size_t i = 0; i < records.size(); ++i) {
        CAPTURE(records[i]);
        const std::string host = i < 30 ? "fast.test" : "slow.test";
        CHECK(field(records[i], "url").starts_with(site.url(host)));
        CHECK(field(records[i], "outcome") == "page");
    }
}

TEST_CASE("giving up on a slow name delays neither other hosts nor the end") {
    tests::may_wait(
        60 * 100ms,
        "each answer takes 100 ms, so that the crawl goes on when a name is given up");
    const NamedSite site(30, 100ms); // so that giving up comes amid the crawl
    const auto begin = Clock::now();
    const Finished finished =
        run_with_slow_names({"--format", "jsonl", "-w", "2", "--no-robots", "--max-tries",
                             "1", "--connect-timeout", "2", "-d", "29",
                             site.url("slow.test"), site.url("fast.test")});
    CHECK(Clock::now() - begin < 20s);
    CHECK(finished.status == 1);
    const auto found = by_outcome(finished.out);
    CHECK(found.at("page").size() == 30);
    CHECK(found.at("failed") == std::multiset<std::string>{site.url("slow.test")});
    CHECK(finished.out.find("\"no address within 2 s\"") != std::string::npos);
}

TEST_CASE("a name that takes long to look up doesn't delay Ctrl-C") {
    const NamedSite site(1);
    const Finished finished = run_with_slow_names(
        {site.url("fast.test"), site.url("slow.test")},
        {.time_limit = 20s, .meanwhile = [&](pid_t process) {
             wait_until([&] { return site.server.times_asked("/") == 1; });
             ::kill(process, SIGINT);
         }});
    CHECK(finished.signal == SIGINT);
}
