// Ctrl-C, SIGTERM and SIGHUP, once and twice.
#include "tests/stage3/program/program_under_test.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <ostream> // doctest wants it
#include <string>
#include <thread>

#include <unistd.h>

using namespace tests;

TEST_CASE("Ctrl-C ends the program without delay, with its report") {
    for (const int signal : {SIGINT, SIGTERM}) {
        HangingSite site(100);
        Clock::time_point pressed;
        const Finished finished = run_stage3({"-w", "100", site.server.url()},
                                             {.meanwhile = [&](pid_t process) {
                                                 site.wait_for_requests(102);
                                                 pressed = Clock::now();
                                                 ::kill(process, signal);
                                             }});
        CHECK(Clock::now() - pressed < 20s); // a fetch may take 30 s
        CHECK(finished.status == 130);
        CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 0 redirects, 0 dead."));
        CHECK(finished.err
              == "stage3: interrupted: 100 URLs that are known were not fetched\n");
    }
}

TEST_CASE(
    "closing the terminal ends the program with its report, even if SIGHUP comes twice") {
    HangingSite site(20);
    const Finished finished =
        run_stage3({"-w", "20", site.server.url()}, {.meanwhile = [&](pid_t process) {
                       site.wait_for_requests(22);
                       ::kill(process, SIGHUP);
                       ::kill(process, SIGHUP);
                   }});
    CHECK(finished.status == 130);
    CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 0 redirects, 0 dead."));
    CHECK(finished.err
          == "stage3: interrupted: 20 URLs that are known were not fetched\n");
}

TEST_CASE(
    "after SIGHUP, another signal ends the program at once if its report isn't read") {
    const PracticeSite site(many_pages);
    const Finished finished =
        run_stage3({"--format", "jsonl", site.server.url()},
                   {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                        wait_until_it_rests(site);
                        ::kill(process, SIGHUP);
                        ::kill(process, SIGHUP);
                        std::this_thread::sleep_for(200ms);
                        CHECK(tests::is_running(process));
                        ::kill(process, SIGTERM);
                    }});
    CHECK(finished.status == 130);
}

TEST_CASE("SIGHUP changes nothing if the program was started to ignore it") {
    const HangingSite site(1);
    const Finished finished =
        tests::run({"/bin/sh", "-c",
                    R"(trap '' HUP; exec "$0" --fetch-timeout 3 --max-tries 1 "$1")",
                    program(), site.server.url()},
                   {.meanwhile = [&](pid_t process) {
                       wait_until([&] { return site.server.requests().size() >= 3; });
                       ::kill(process, SIGHUP);
                   }});
    CHECK(finished.status == 1);
    CHECK(finished.out.find(" s: 1 fetched, 0 redirects, 1 dead.") != std::string::npos);
}

TEST_CASE(
    "Ctrl-C pressed twice ends the program at once, even while it writes its report") {
    // The report is longer than fits into a pipe, and no one reads it.
    ScriptedServer server;
    std::string links = "<a href='/silent'>x</a>";
    for (int i = 0; i < 100; ++i) {
        const std::string path = fmt::format("/{}/{}", i, std::string(2000, 'x'));
        links += fmt::format("<a href='{}'>x</a>", path);
        server.on(path, html(""));
    }
    server.on("/silent", {Hold{}});
    server.on("/", html(links));
    Clock::time_point pressed;
    const Finished finished = run_stage3(
        {server.url()}, {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                             wait_until([&] { return server.requests().size() >= 103; });
                             interrupt(process, SIGINT);
                             std::this_thread::sleep_for(500ms);
                             CHECK(tests::is_running(process)); // it is still writing
                             pressed = Clock::now();
                             ::kill(process, SIGINT);
                         }});
    CHECK(Clock::now() - pressed < 20s);
    CHECK(finished.status == 130);
}

TEST_CASE("a second signal ends the program at once while it waits for a reader of its "
          "records") {
    const PracticeSite site(many_pages);
    const Finished finished =
        run_stage3({"--format", "jsonl", site.server.url()},
                   {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                        wait_until_it_rests(site);
                        ::kill(process, SIGINT);
                        std::this_thread::sleep_for(200ms);
                        CHECK(tests::is_running(process));
                        ::kill(process, SIGTERM);
                    }});
    CHECK(finished.status == 130);
}

TEST_CASE(
    "once the crawl is over, the report comes out, unless Ctrl-C is pressed twice") {
    ScriptedServer server;
    std::string links;
    for (int i = 0; i < 100; ++i) {
        const std::string path = fmt::format("/{}/{}", i, std::string(2000, 'x'));
        links += fmt::format("<a href='{}'>x</a>", path);
        server.on(path, html(""));
    }
    server.on("/", html(links));
    const Finished finished = run_stage3(
        {server.url()}, {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                             wait_until([&] { return server.requests().size() >= 102; });
                             wait_until_it_rests(server);
                             interrupt(process, SIGINT);
                             std::this_thread::sleep_for(200ms);
                             CHECK(tests::is_running(process));
                             ::kill(process, SIGINT);
                         }});
    CHECK(finished.status == 130);

    const std::string file = fmt::format("/tmp/stage3_test_{}", ::getpid());
    const auto before = server.requests().size();
    const Finished once = tests::run(
        {"/bin/sh", "-c",
         R"(wait_for() { until [ -e "$1" ]; do sleep .1; done; }
            { "$0" "$1" & crawl=$!; wait_for "$2.over"; kill -INT $crawl; : >"$2.read"
              wait $crawl; echo "status $?" >&2; } | { wait_for "$2.read"; sleep 1; cat; })",
         program(), server.url(), file},
        {.meanwhile = [&](pid_t) {
            wait_until([&] { return server.requests().size() >= before + 102; });
            wait_until_it_rests(server);
            std::ofstream(file + ".over").flush();
        }});
    std::filesystem::remove(file + ".over");
    std::filesystem::remove(file + ".read");
    CHECK(once.err == "status 0\n");
    CHECK(last_line(once.out).ends_with(" s: 101 fetched, 0 redirects, 0 dead."));
}
