// Ctrl-C, SIGTERM and SIGHUP, once and twice. The program dies by them: so a shell loop
// around it ends, too.
#include "tests/stage3/program/program_under_test.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

using namespace tests;

TEST_CASE("Ctrl-C, or closing the terminal, ends the program without delay, with its "
          "report") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        HangingSite site(100);
        Clock::time_point pressed;
        const Finished finished = run_stage3({"-w", "100", site.server.url()},
                                             {.meanwhile = [&](pid_t process) {
                                                 site.wait_for_requests(102);
                                                 pressed = Clock::now();
                                                 ::kill(process, signal);
                                                 if (signal == SIGHUP) // may come twice
                                                     ::kill(process, signal);
                                             }});
        CHECK(Clock::now() - pressed < 20s); // a fetch may take 30 s
        CHECK(finished.signal == signal);
        CHECK(last_line(finished.out).ends_with(" s: 1 fetched, 0 redirects, 0 dead."));
        CHECK(finished.err
              == "stage3: interrupted: 100 URLs that are known were not fetched\n");
    }
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
    add_long_urls(server, "<a href='/silent'>x</a>");
    server.on("/silent", {Hold{}});
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
    CHECK(finished.signal == SIGINT);
}

TEST_CASE("a second signal ends the program at once while it waits for a reader of its "
          "records, unless both are SIGHUP") {
    const PracticeSite site(many_pages);
    for (const int signal : {SIGINT, SIGHUP}) {
        const Finished finished =
            run_stage3({"--format", "jsonl", site.server.url()},
                       {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                            wait_until_it_rests(site);
                            ::kill(process, signal);
                            if (signal == SIGHUP)
                                ::kill(process, SIGHUP);
                            std::this_thread::sleep_for(200ms);
                            CHECK(tests::is_running(process));
                            ::kill(process, SIGTERM);
                        }});
        CHECK(finished.signal == SIGTERM);
    }
}

TEST_CASE(
    "once the crawl is over, the report comes out, unless Ctrl-C is pressed twice") {
    ScriptedServer server;
    add_long_urls(server);
    const Finished finished = run_stage3(
        {server.url()}, {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                             wait_until([&] { return server.requests().size() >= 102; });
                             wait_until_it_rests(server);
                             interrupt(process, SIGINT);
                             std::this_thread::sleep_for(200ms);
                             CHECK(tests::is_running(process));
                             ::kill(process, SIGINT);
                         }});
    CHECK(finished.signal == SIGINT);

    const std::string file = fmt::format("/tmp/stage3_test_{}", ::getpid());
    const auto before = server.requests().size();
    const Finished once = tests::run(
        {"/bin/sh", "-c",
         // It sleeps so that the signal comes while the program waits for its reader.
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
    CHECK(once.err == "status 130\n"); // although a shell's & makes it ignore SIGINT
    CHECK(last_line(once.out).ends_with(" s: 101 fetched, 0 redirects, 0 dead."));
}

TEST_CASE("it dies by Ctrl-C even if its results can't be written then") {
    for (const std::string option : {"-o", "--trace"}) {
        HangingSite site(1);
        const Finished finished = run_stage3({option, "/dev/full", site.server.url()},
                                             {.meanwhile = [&](pid_t process) {
                                                 site.wait_for_requests(3);
                                                 ::kill(process, SIGINT);
                                             }});
        CHECK(finished.signal == SIGINT);
        CHECK(finished.err.find("No space left on device") != std::string::npos);
    }
}

#ifdef __linux__
namespace {

/// As in a container. Empty if this system doesn't allow that.
std::vector<std::string> as_process_1() {
    const std::vector<std::string> words{"/usr/bin/env",    "unshare",     "--user",
                                         "--map-root-user", "--pid",       "--fork",
                                         "--mount-proc",    "--kill-child"};
    std::vector<std::string> attempt = words;
    attempt.emplace_back("true");
    return tests::run(attempt).status == 0 ? words : std::vector<std::string>();
}

/// The process that `unshare` has started.
pid_t child_of(pid_t process) {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
    pid_t child = -1;
    file >> child;
    REQUIRE(child > 0);
    return child;
}

} // namespace

TEST_CASE("as process 1, which no signal kills, it ends with 128 plus the signal's "
          "number") {
    std::vector<std::string> command = as_process_1();
    if (command.empty()) {
        MESSAGE("skipped: this system does not allow a new process 1");
        return;
    }
    HangingSite site(1);
    command.insert(command.end(), {program(), site.server.url()});
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const auto before = site.server.requests().size();
        const Finished finished = tests::run(command, {.meanwhile = [&](pid_t process) {
                                                 site.wait_for_requests(before + 3);
                                                 ::kill(child_of(process), signal);
                                             }});
        CHECK(finished.status == 128 + signal);
        CHECK(finished.out.find(" s: 1 fetched, 0 redirects, 0 dead.")
              != std::string::npos);
    }

    const PracticeSite large(many_pages);
    command.back() = large.server.url();
    command.insert(command.end(), {"--format", "jsonl"});
    const Finished twice = tests::run(
        command, {.leave_output_unread = true, .meanwhile = [&](pid_t process) {
                      wait_until_it_rests(large);
                      interrupt(child_of(process), SIGINT);
                      ::kill(child_of(process), SIGTERM);
                  }});
    CHECK(twice.status == 128 + SIGTERM);
}

TEST_CASE("as process 1, it can be ended while it waits for a list of URLs") {
    std::vector<std::string> command = as_process_1();
    if (command.empty()) {
        MESSAGE("skipped: this system does not allow a new process 1");
        return;
    }
    const TemporaryFile list;
    REQUIRE(::mkfifo(list.path().c_str(), 0600) == 0);
    command.insert(command.end(), {program(), "--urls-from", list.path()});
    for (const int signal : {SIGINT, SIGTERM}) {
        const Finished finished =
            tests::run(command, {.meanwhile = [&](pid_t process) {
                           const std::ofstream writer(list.path()); // waits for a reader
                           ::kill(child_of(process), signal);
                       }});
        CHECK(finished.status == 128 + signal);
    }
}
#endif
