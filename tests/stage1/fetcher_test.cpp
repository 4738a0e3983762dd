// What is special about fetching with callbacks. What a crawl finds is tested in
// tests/crawl.
#include "common/simple_crawl/crawl.h"
#include "common/system/selector.h"
#include "common/trace/stack_trace.h"
#include "tests/crawl/stage_under_test.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace tests;

namespace {

common::Summary crawl(const ScriptedServer& server, common::Tracer tracer = {},
                      common::Settings settings = {}) {
    common::EventLoop loop(common::make_selector(), tracer);
    common::Crawl crawl(*common::parse_url(server.url()), loop, tracer,
                        std::move(settings));
    return tests::run_with_stage(crawl);
}

} // namespace

TEST_CASE("an error in a callback leaves the loop with a stack that begins there") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", html(""));
    common::Settings settings;
    settings.fail_parsing = 2;
    try {
        crawl(server, {}, settings);
        FAIL("nothing was thrown");
    } catch (const common::TracedError& error) {
        CHECK(std::string(error.where.file_name()).ends_with("fetcher.cpp"));
        const std::string text = describe(error);
        CAPTURE(text);
        CHECK(text.find("stage1::Fetcher::read_response") != std::string::npos);
        CHECK(text.find("common::EventLoop::run") != std::string::npos);
        // The stack no longer shows what started this fetch or what it did before.
        CHECK(text.find("stage1::Fetcher::fetch") == std::string::npos);
        CHECK(text.find("stage1::Fetcher::connected") == std::string::npos);
    }
}

TEST_CASE("a trace records the life of a fetch") {
    ScriptedServer server;
    server.on("/", html(""));
    const auto path = std::filesystem::temp_directory_path()
                      / fmt::format("stage1_trace.{}", ::getpid());
    CHECK(crawl(server, common::Tracer(path.string(), "test")).fetched == 1);
    std::ifstream file(path);
    std::string story;
    for (std::string line; std::getline(file, line);) {
        for (const char* word :
             {"\"event\":\"fetch\",\"phase\":\"start\"", "\"name\":\"connected\"",
              "\"name\":\"read_response\"", "\"event\":\"fetch\",\"phase\":\"end\""})
            if (line.find(word) != std::string::npos
                && line.find("\"phase\":\"end\",\"name\"") == std::string::npos
                && line.find("\"event\":\"watch\"") == std::string::npos)
                story += fmt::format("{}\n", word);
    }
    std::filesystem::remove(path);
    CHECK(story
          == "\"event\":\"fetch\",\"phase\":\"start\"\n"
             "\"name\":\"connected\"\n"
             "\"name\":\"read_response\"\n"
             "\"event\":\"fetch\",\"phase\":\"end\"\n");
}

TEST_CASE("the end of a fetch that fails is recorded once") {
    const auto path = std::filesystem::temp_directory_path()
                      / fmt::format("stage1_trace.{}", ::getpid());
    {
        common::Tracer tracer(path.string(), "test");
        common::EventLoop loop(common::make_selector(), tracer);
        common::Crawl crawl(*common::parse_url("http://127.0.0.1:1/"), loop, tracer, {});
        CHECK(tests::run_with_stage(crawl).dead == 1);
    }
    std::ifstream file(path);
    int ends = 0;
    for (std::string line; std::getline(file, line);)
        ends += line.find("fetch\",\"phase\":\"end") != std::string::npos ? 1 : 0;
    std::filesystem::remove(path);
    CHECK(ends == 1);
}
