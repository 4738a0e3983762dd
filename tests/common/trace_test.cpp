#include "common/trace/trace.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

using namespace std::chrono_literals;

namespace {

/// A file name that is free, and is removed at the end.
struct TemporaryFile {
    TemporaryFile() = default;
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }

    std::filesystem::path path = std::filesystem::temp_directory_path()
                                 / ("trace_test." + std::to_string(::getpid()));
};

std::vector<std::string> lines_of(const std::filesystem::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

/// The line without its time, which no test can know.
std::string without_time(const std::string& line) {
    return "{" + line.substr(line.find(',') + 1);
}

} // namespace

TEST_CASE("every event becomes one line of JSON") {
    const TemporaryFile file;
    const auto at = std::source_location::current();
    const std::string place = "trace_test.cpp:" + std::to_string(at.line());
    {
        common::Tracer tracer(file.path.string());
        CHECK(tracer.enabled());
        tracer.fetch_start(1, "http://h/\"");
        tracer.select(30s, 2);
        tracer.ready({5, common::Events::read | common::Events::write, 0});
        tracer.callback_begin("connected", at);
        tracer.callback_end("connected", at);
        tracer.select(std::nullopt, 0);
        tracer.fetch_end(1, "http://h/", 200, 12);
        tracer.fetch_end(2, "http://h/x", 0, 0);
    }
    const auto lines = lines_of(file.path);
    REQUIRE(lines.size() == 8);
    CHECK(lines[0].starts_with("{\"t\":"));
    CHECK(without_time(lines[0])
          == R"({"turn":0,"event":"fetch","phase":"start","id":1,"url":"http://h/\""})");
    CHECK(without_time(lines[1])
          == R"({"turn":1,"event":"select","timeout_ms":30000,"fds":2})");
    CHECK(without_time(lines[2])
          == R"({"turn":1,"event":"ready","fd":5,"events":"read|write"})");
    CHECK(without_time(lines[3])
          == R"({"turn":1,"event":"callback","phase":"begin","name":"connected","at":")"
                 + place + "\"}");
    CHECK(without_time(lines[4])
          == R"({"turn":1,"event":"callback","phase":"end","name":"connected","at":")"
                 + place + "\"}");
    CHECK(without_time(lines[5])
          == R"({"turn":2,"event":"select","timeout_ms":null,"fds":0})");
    CHECK(
        without_time(lines[6])
        == R"({"turn":2,"event":"fetch","phase":"end","id":1,"url":"http://h/","status":200,"bytes":12})");
    CHECK(
        without_time(lines[7])
        == R"({"turn":2,"event":"fetch","phase":"end","id":2,"url":"http://h/x","status":null,"bytes":0})");
}

TEST_CASE("tasks and futures have numbers, also when an address is used again") {
    const TemporaryFile file;
    const int a_task = 0;
    const int another_task = 0;
    const int a_future = 0;
    const std::vector<common::ChainLink> chain{{"outer", "a.cpp:1"},
                                               {"inner", "b.cpp:2"}};
    {
        common::Tracer tracer(file.path.string());
        tracer.task("new", &a_task);
        tracer.task("new", &another_task);
        for (int i = 0; i < 2; ++i) { // the second time, it is another future
            tracer.future_new(&a_future);
            tracer.task("suspend", &a_task, &a_future, chain);
            tracer.future_new(&a_future); // known: not written down again
            tracer.task("suspend", &another_task, &a_future);
            tracer.future_resolve(&a_future);
            tracer.future_resolve(&a_future); // likewise
            tracer.task("step", &a_task);
        }
        tracer.task("done", &another_task);
        tracer.task("new", &another_task);
    }
    const auto event = [](const char* name, const std::string& rest) {
        return fmt::format(R"({{"turn":0,"event":"{}","phase":{}}})", name, rest);
    };
    const std::string links =
        R"("name":"outer","chain":[{"name":"outer","at":"a.cpp:1"},)"
        R"({"name":"inner","at":"b.cpp:2"}])";
    std::vector<std::string> expected{event("task", R"("new","id":1)"),
                                      event("task", R"("new","id":2)")};
    for (const char* id : {"3", "4"}) {
        const std::string future = std::string(R"("id":)") + id;
        const std::string awaiting = std::string(R"("awaiting":)") + id;
        expected.push_back(event("future", R"("new",)" + future));
        expected.push_back(
            event("task", fmt::format(R"("suspend","id":1,{},{})", awaiting, links)));
        expected.push_back(event("task", R"("suspend","id":2,)" + awaiting));
        expected.push_back(event("future", R"("resolve",)" + future + R"(,"waiters":2)"));
        expected.push_back(event("task", R"("step","id":1)"));
    }
    expected.push_back(event("task", R"("done","id":2)"));
    expected.push_back(event("task", R"("new","id":5)"));
    std::vector<std::string> lines;
    for (const std::string& line : lines_of(file.path))
        lines.push_back(without_time(line));
    CHECK(lines == expected);
}

TEST_CASE("a tracer that is off does nothing") {
    common::Tracer tracer;
    CHECK_FALSE(tracer.enabled());
    tracer.select(1s, 1);
    tracer.fetch_start(1, "http://h/");
}

TEST_CASE("a trace file that can't be written is an error that names it") {
    CHECK_THROWS_WITH_AS(common::Tracer("/no/such/folder/trace"),
                         doctest::Contains("/no/such/folder/trace"), std::system_error);
}

TEST_CASE("a trace ends where the disk is full, and the program goes on") {
    for (const int events : {1, 10'000}) {
        common::Tracer tracer("/dev/full");
        for (int i = 0; i < events; ++i)
            tracer.fetch_start(1, "http://h/");
        CHECK(tracer.enabled() == (events == 1)); // so few are still on their way
        CHECK(tracer.close() == std::errc::no_space_on_device);
        CHECK_FALSE(tracer.enabled());
    }
    const TemporaryFile file;
    common::Tracer tracer(file.path);
    tracer.fetch_start(1, "http://h/");
    CHECK_FALSE(tracer.close());
    CHECK(lines_of(file.path).size() == 1);
    tracer.fetch_start(2, "http://h/");
    CHECK_FALSE(tracer.close());
    CHECK(lines_of(file.path).size() == 1);
}

TEST_CASE("no text breaks out of a JSON string") {
    CHECK(common::json_string("a\"b\\c") == R"("a\"b\\c")");
    CHECK(common::json_string("\n\x1b\x7f") == R"("\u000a\u001b\u007f")");
    CHECK(common::json_string("\xc3\xa9") == "\"\xc3\xa9\"");
}
