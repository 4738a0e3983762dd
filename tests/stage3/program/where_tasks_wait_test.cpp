// Pressing Ctrl-\ shows where all tasks wait.
#include "common/system/socket.h"
#include "tests/stage3/program/program_under_test.h"

#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

using namespace tests;

namespace {

/// True if a process ignores Ctrl-\ by now. If the system doesn't say, waits a while.
bool ignores_quit(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("SigIgn:"))
            return (std::stoull(line.substr(7), nullptr, 16) >> (SIGQUIT - 1) & 1) != 0;
    }
    std::this_thread::sleep_for(1s);
    return true;
}

} // namespace

TEST_CASE("Ctrl-\\ shows where all tasks wait, each time, and the crawl continues") {
    ScriptedServer server;
    std::string links;
    for (int i = 0; i < 10; ++i) {
        links += fmt::format("<a href=/{}>x</a>", i);
        tests::Reply late{tests::AwaitRelease{60s}};
        for (const auto& step : html(""))
            late.push_back(step);
        server.on(fmt::format("/{}", i), late);
    }
    tests::Reply start = html(links);
    start.emplace_back(tests::KeepOpen{}); // or libcurl 8.23 sees its end too late
    server.on("/", start);
    const TemporaryFile file;
    const auto tables = [&] {
        std::vector<std::string> result;
        const std::string all = file.text();
        const std::string begin = "stage3: 12 tasks are not done. ";
        for (auto at = all.find(begin); at != std::string::npos;) {
            const auto next = all.find(begin, at + 1);
            result.push_back(all.substr(at, next - at));
            at = next;
        }
        return result;
    };
    const Finished finished =
        tests::run({"/bin/sh", "-c", R"(exec "$0" -q --format jsonl -w 10 "$1" 2> "$2")",
                    program(), server.url(), file.path()},
                   {.meanwhile = [&](pid_t process) {
                       wait_until([&] { return server.requests().size() >= 12; });
                       for (const std::size_t number : {1U, 2U}) {
                           ::kill(process, SIGQUIT);
                           wait_until([&] { return tables().size() == number; });
                       }
                       server.release();
                   }});
    CHECK(finished.status == 0);
    CHECK(lines(finished.out).size() == 11);
    CHECK(tables().size() == 2);
    for (const std::string& table : tables()) {
        CAPTURE(table);
        const auto has = [&](const std::string& text) {
            return table.find(text) != std::string::npos;
        };
        CHECK(has("\n1 waits: main\n"));
        CHECK(has("\n  for the task crawl\n1 waits: crawl\n"));
        // g++ writes "Crawler<F>", and clang++ "Crawler<>".
        CHECK(has("\n10 wait: worker 1 to worker 10\n  stage3::Crawler<"));
        CHECK(has(">::work, waiting at crawler.h:"));
        CHECK(has("\n  stage3::Session::get, waiting at session.cpp:"));
        CHECK(has("\n  for a future\nThe loop: 1")); // 10, or 11 with libcurl 8.23
        CHECK(has(" descriptors are watched, the next timer is due in "));
    }
}

TEST_CASE("Ctrl-\\ before there are tasks does nothing") {
    ScriptedServer server;
    server.on("/", html(""));
    const TemporaryFile file;
    REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
    common::Socket reader;
    const Finished finished = run_stage3(
        {"--trace", file.path(), server.url()}, {.meanwhile = [&](pid_t process) {
            wait_until([&] { return ignores_quit(process); });
            ::kill(process, SIGQUIT);
            reader = common::Socket(::open(file.path().c_str(), O_RDONLY | O_NONBLOCK));
        }});
    CHECK(finished.signal == 0);
    CHECK(finished.status == 0);
    CHECK(finished.err.empty());
}
