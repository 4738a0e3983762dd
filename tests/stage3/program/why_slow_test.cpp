// What --why-slow says, and the list on --html's page.
#include "stage3_queue_crawler/program/formats/formats.h"
#include "stage3_queue_crawler/program/formats/why_slow.h"
#include "tests/support/prelude.h"

#include <sstream>

using namespace stage3;

namespace {

struct Times {
    Times() { times.seconds = 843; }

    HostTimes& add(const std::string& name) {
        HostTimes& host = times.worst.emplace_back();
        host.host = name;
        host.requests = 12034;
        host.bytes = 512'300'000;
        host.waits.add(62ms);
        host.waits.add(62ms);
        host.waits.add(8100ms);
        limit(host, Limit::workers, 776);
        limit(host, Limit::answers, 50.6);
        limit(host, Limit::delay, 16.4);
        return host;
    }
    static void limit(HostTimes& host, Limit limit, double seconds) {
        host.limited[static_cast<std::size_t>(limit)] = seconds;
    }

    CrawlTimes times;
};

bool told(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

} // namespace

TEST_CASE_FIXTURE(Times, "each host is told, with what limited it and what would help") {
    add("www.example.org:443");
    CHECK(why_slow(times)
          == "what limited the crawl, which took 843 s (waits are until the head):\n"
             "  www.example.org:443, for 843 s: 12034 requests, 512.3 MB,\n"
             "    wait 62 ms, worst 8.1 s\n"
             "    92 %: all workers were busy (--workers, if the server can do more)\n"
             "    6 %: the server's answers: no more URLs were known to ask for");
}

TEST_CASE_FIXTURE(Times, "failures and refusals are told if there are some") {
    HostTimes& host = add("h:80");
    host.failures[static_cast<std::size_t>(Failure::no_address)] = 1;
    host.failures[static_cast<std::size_t>(Failure::tls)] = 22;
    host.refusals = 1;
    CHECK(told(why_slow(times), "1 without an address, 22 failed in TLS, 1 refusal\n"));
}

TEST_CASE_FIXTURE(Times, "a host that has never answered has no waits") {
    HostTimes& host = add("h:80");
    host.waits = {};
    CHECK(told(why_slow(times), ", no answer\n"));
}

TEST_CASE_FIXTURE(Times, "the hosts that aren't shown are summed up") {
    add("a:80");
    times.others = times.worst[0];
    times.other_hosts = 23;
    CHECK(told(why_slow(times), "\n  23 other hosts, for 843 s: 12034 requests"));
    times.other_hosts = 1;
    CHECK(told(why_slow(times), "\n  1 other host, for"));
}

TEST_CASE_FIXTURE(Times, "a crawl that asked no host has nothing to tell") {
    CHECK(told(why_slow(times), "\n  no host was asked anything"));
    CHECK(html_why_slow(times).empty());
}

TEST_CASE_FIXTURE(Times, "no line is longer than 80 columns, whatever the limit") {
    HostTimes& host = add("127.0.0.1:45439");
    for (int i = 0; i < 9; ++i)
        host.failures[static_cast<std::size_t>(i)] = 12'345;
    host.refusals = 12'345;
    for (std::size_t i = 0; i < number_of_limits; ++i)
        for (const bool is_read_by_loop : {false, true}) {
            times.is_read_by_loop = is_read_by_loop;
            host.limited = {};
            Times::limit(host, static_cast<Limit>(i), 843);
            std::istringstream lines("stage3: " + why_slow(times));
            for (std::string line; std::getline(lines, line);)
                CHECK_MESSAGE(line.size() <= 80, line);
        }
}

TEST_CASE_FIXTURE(Times, "a page has the list, folded if the crawl was short") {
    add("<h>:80");
    const std::string text = html_why_slow(times);
    CHECK(text.starts_with("<details open><summary>"));
    CHECK(told(text, "<li><b>&#60;h&#62;:80</b>, for 843 s: 12034 requests, 512.3 MB, "));
    CHECK(told(text, "(--workers, if the server can do more)</li><li>6 %: "));
    times.seconds = 59;
    CHECK(html_why_slow(times).starts_with("<details><summary>"));
}

TEST_CASE_FIXTURE(Times, "a page has it only if there is an account") {
    add("h:80");
    const KnownUrls urls;
    Summary summary{.urls = urls, .left_out = {}, .time = 1s};
    const auto page = [&] { return make_html({})->end(summary, {}); };
    CHECK_FALSE(told(page(), "What limited the crawl"));
    summary.times = &times;
    CHECK(told(page(), "What limited the crawl"));
}
