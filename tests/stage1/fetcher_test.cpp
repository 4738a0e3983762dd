// What is special about fetching with callbacks. What a crawl finds is tested in
// tests/crawl.
#include "common/trace/stack_trace.h"
#include "tests/crawl/stage_under_test.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/trace_file.h"

using namespace tests;

TEST_CASE("an error in a callback leaves the loop with a stack that begins there") {
    ScriptedServer server;
    server.on("/", html("<a href=/a>"));
    server.on("/a", html(""));
    common::Settings settings;
    settings.fail_parsing = 2;
    try {
        tests::crawl_with_stage(server.url(), {}, settings);
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
    const TraceFile file;
    CHECK(crawl_with_stage(server.url(), file.tracer()).fetched == 1);
    std::string story;
    for (const std::string& line : file.lines()) {
        for (const char* word :
             {"\"event\":\"fetch\",\"phase\":\"start\"", "\"name\":\"connected\"",
              "\"name\":\"read_response\"", "\"event\":\"fetch\",\"phase\":\"end\""})
            if (line.find(word) != std::string::npos
                && line.find("\"phase\":\"end\",\"name\"") == std::string::npos
                && line.find("\"event\":\"watch\"") == std::string::npos)
                story += fmt::format("{}\n", word);
    }
    CHECK(story
          == "\"event\":\"fetch\",\"phase\":\"start\"\n"
             "\"name\":\"connected\"\n"
             "\"name\":\"read_response\"\n"
             "\"event\":\"fetch\",\"phase\":\"end\"\n");
}

TEST_CASE("the end of a fetch that fails is recorded once") {
    const TraceFile file;
    CHECK(crawl_with_stage("http://127.0.0.1:1/", file.tracer()).dead == 1);
    int ends = 0;
    for (const std::string& line : file.lines())
        ends += line.find("fetch\",\"phase\":\"end") != std::string::npos ? 1 : 0;
    CHECK(ends == 1);
}
