// The small programs of book pages 01 to 04, as a reader runs them. The environment says
// where they are.
#include "common/system/selector.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"
#include "tests/support/scripted_server.h"

#include <sstream>

using namespace tests;

namespace {

/// The number after these words in a text; -1 if there is none.
double number_behind(const std::string& text, const std::string& words) {
    const auto found = text.find(words);
    double value = -1;
    if (found != std::string::npos)
        std::istringstream(text.substr(found + words.size())) >> value;
    return value;
}

} // namespace

TEST_CASE("blocking_fetch crawls, with and without threads") {
    tests::ScriptedServer server;
    server.on("/", tests::html("<a href=/a><a href=/gone>"));
    server.on("/a", tests::html(""));
    for (const bool threads : {false, true}) {
        CAPTURE(threads);
        std::vector<std::string> arguments{server.url()};
        if (threads)
            arguments.emplace_back("--threads");
        const Finished finished = run_program("BLOCKING_FETCH", arguments);
        CHECK(finished.status == 1);
        CHECK(finished.out.starts_with("2 URLs fetched in "));
        CHECK(number_behind(finished.out, "seconds, ") == 1);
    }
    CHECK(run_program("BLOCKING_FETCH", {"https://x/"}).status == 2);
    CHECK(run_program("BLOCKING_FETCH", {}).status == 2);
}

TEST_CASE("busy_fetch calls receive many times while it waits") {
    tests::ScriptedServer server;
    server.on("/", {tests::Pause{100ms}, tests::html("hello")[0]});
    const Finished finished = run_program("BUSY_FETCH", {server.url()});
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    CHECK(finished.out.starts_with("status 200, 5 bytes\n"));
    CHECK(number_behind(finished.out, "connect was called ") >= 1);
    CHECK(number_behind(finished.out, "receive ") > 50);
    CHECK(run_program("BUSY_FETCH", {"http://127.0.0.1:1/"}).err.find("onnection refused")
          != std::string::npos);
    CHECK(run_program("BUSY_FETCH", {"nonsense:"}).status == 2);
}

TEST_CASE("watch reports which sockets have data, with every selector") {
    for (const std::string_view name : common::selector_names()) {
        CAPTURE(name);
        const Finished finished = run_program("WATCH", {"--selector", std::string(name)});
        CHECK(finished.status == 0);
        CHECK(
            finished.out
            == "woken by 2 (hello)\nwoken by 0 (hello) 3 (hello)\nwoken by 2 (hello)\n");
    }
    const Finished unknown = run_program("WATCH", {"--selector", "ask-again"});
    CHECK(unknown.status == 2);
    CHECK(unknown.err.find("choose one of") != std::string::npos);
}

TEST_CASE("hold prints what waiting costs") {
    for (const char* what : {"--threads", "--sockets"}) {
        const Finished finished = run_program("HOLD", {what, "50"});
        CAPTURE(finished.out);
        CHECK(finished.status == 0);
        CHECK(finished.out.starts_with("50 "));
        CHECK(finished.out.find("memory in use (resident)") != std::string::npos);
    }
    CHECK(run_program("HOLD", {}).status == 2);
    CHECK(run_program("HOLD", {"--threads", "1", "--sockets", "1"}).status == 2);
}

TEST_CASE("one failure has different stacks in blocking calls and in callbacks") {
    tests::ScriptedServer server;
    server.on("/", tests::html("<a href=/a>"));
    server.on("/a", tests::html(""));
    const Finished blocking =
        run_program("BLOCKING_FETCH", {"--fail-parsing", "2", server.url()});
    const Finished callbacks =
        run_program("STAGE1", {"--fail-parsing", "2", server.url()});
    CHECK(blocking.status == 1);
    CHECK(callbacks.status == 1);
    CHECK(blocking.err.find("stage1::fetch_page") != std::string::npos);
    CHECK(callbacks.err.find("common::EventLoop::call_back") != std::string::npos);
    CHECK(callbacks.err.find("stage1::Fetcher::fetch\n") == std::string::npos);
    CHECK(callbacks.out.find(server.url("/")) != std::string::npos); // it came before
}

TEST_CASE("small_crawl with callbacks prints what it finds until the first error") {
    tests::ScriptedServer server;
    server.on("/", tests::html("<a href=/b><a href=/a><a href=http://example.com/>"));
    server.on("/a", tests::redirect_to("/b"));
    server.on("/b", tests::html("<a href=/>"));
    const Finished finished = run_program("SMALL_CRAWL", {server.url()});
    CHECK(finished.status == 0);
    CHECK(finished.out
          == server.url() + "\n" + server.url("/a") + "\n" + server.url("/b") + "\n");
    const Finished refused = run_program("SMALL_CRAWL", {"http://127.0.0.1:1/"});
    CHECK(refused.status == 1);
    CHECK(refused.err == "small_crawl: connect: Connection refused\n");
    CHECK(run_program("SMALL_CRAWL", {}).status == 2);
    CHECK(run_program("SMALL_CRAWL", {"https://127.0.0.1/"}).status == 2);
}
