// What is special about fetching with coroutines. What a crawl finds is tested in
// tests/crawl.
#include "common/trace/stack_trace.h"
#include "stage2_coroutines/traceback.h"
#include "tests/crawl/stage_under_test.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/trace_file.h"

using namespace tests;

TEST_CASE("an error in a fetch shows its whole way, outermost first") {
    ScriptedServer server;
    server.on("/", html("<a href=/a><a href=/b>"));
    server.on("/a", html(""));
    server.on("/b", {tests::Hold{}}); // it waits meanwhile and is dropped
    common::Settings settings;
    settings.fail_parsing = 2;
    try {
        tests::crawl_with_stage(server.url(), {}, settings);
        FAIL("nothing was thrown");
    } catch (const stage2::TaskFailed& failure) {
        CHECK_THROWS_AS(failure.rethrow_nested(), common::TracedError);
        const std::string text = describe(failure);
        CAPTURE(text);
        const auto outermost = text.find("  stage2::fetch, waiting at fetcher.cpp:");
        const auto innermost = text.find("  stage2::load, resumed at fetcher.cpp:");
        const auto plain = text.find("  stage2::parse_links\n");
        CHECK(outermost != std::string::npos);
        CHECK(innermost != std::string::npos);
        CHECK(plain != std::string::npos);
        CHECK(outermost < innermost);
        CHECK(innermost < plain);
        CHECK(text.ends_with("parsing failed, as --fail-parsing asked"));
    }
}

TEST_CASE("a trace records which task waits for what") {
    ScriptedServer server;
    server.on("/", html(""));
    const TraceFile file;
    CHECK(crawl_with_stage(server.url(), file.tracer()).fetched == 1);
    std::string story;
    std::string chains;
    for (const std::string& line : file.lines()) {
        for (const char* word :
             {"task\",\"phase\":\"new", "task\",\"phase\":\"step",
              "fetch\",\"phase\":\"start", "future\",\"phase\":\"new",
              "task\",\"phase\":\"suspend", "callback\",\"phase\":\"begin",
              "future\",\"phase\":\"resolve", "fetch\",\"phase\":\"end",
              "task\",\"phase\":\"done"})
            if (line.find(word) != std::string::npos)
                story += std::string(word).replace(std::string(word).find('"'), 11, " ")
                         + "\n";
        if (line.find("\"chain\"") != std::string::npos)
            chains += line + "\n";
    }
    const std::string wait = "future new\ntask suspend\ncallback begin\nfuture resolve\n"
                             "task step\n";
    CHECK(story
          == "task new\ntask step\nfetch start\n" + wait + wait
                 + "fetch end\ntask done\n");
    CHECK(
        chains.find("{\"name\":\"stage2::fetch\",\"at\":\"stage2_coroutines/fetcher.cpp:")
        != std::string::npos);
    CHECK(chains.find(
              "{\"name\":\"stage2::read\",\"at\":\"stage2_coroutines/socket_io.cpp:")
          != std::string::npos);
}
