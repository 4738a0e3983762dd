// The small programs of book pages 05 to 07, as a reader runs them. The environment says
// where they are.
#include "tests/support/prelude.h"
#include "tests/support/process.h"
#include "tests/support/scripted_server.h"

using namespace tests;

TEST_CASE("generator_session prints both sides of the conversation") {
    const Finished finished = run_program("GENERATOR_SESSION", {});
    CHECK(finished.status == 0);
    CHECK(finished.out.starts_with("call it\n"
                                   "  nothing has run\n"
                                   "next()\n"
                                   "    (begins)\n"
                                   "  yields 1\n"
                                   "send(\"hello\")\n"
                                   "    (was sent \"hello\")\n"
                                   "  yields 2\n"
                                   "send(\"bye\")\n"
                                   "    (has now \"bye\")\n"
                                   "  has ended, and returns \"done\"\n"
                                   "next()\n"
                                   "  had ended before\n"));
    CHECK(run_program("GENERATOR_SESSION", {"file", "more"}).status == 2);
    CHECK(finished.out.ends_with("throw_(runtime_error(\"enough\"))\n"
                                 "    (has now \"enough\")\n"
                                 "  has ended, and returns \"done\"\n"
                                 "throw_(runtime_error(\"again\"))\n"
                                 "  comes straight back: \"again\"\n"));
}

TEST_CASE("frame_tour shows two frames of one function") {
    const Finished finished = run_program("FRAME_TOUR", {});
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    CHECK(finished.out.find("  a: frame 0x") != std::string::npos);
    CHECK(finished.out.find(", i = 3\n") != std::string::npos);
    CHECK(finished.out.find("  b: frame 0x") != std::string::npos);
    CHECK(finished.out.find(", i = 100\n") != std::string::npos);
}

TEST_CASE("frame_tour looks at a frame before the start and at each co_yield") {
    const Finished finished = run_program("FRAME_TOUR", {"3"});
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    CHECK(finished.out.starts_with("3. What changes when it resumes?\n"
                                   "  before the start\n"
                                   "  then, at the first co_yield\n"
                                   "  and then, at the second\n"));
}

TEST_CASE("frame_tour's hand-written state machine does what the coroutine does") {
    const Finished finished = run_program("FRAME_TOUR", {"4"});
    CHECK(finished.status == 0);
    CHECK(finished.out
          == "4. The same by hand\n"
             "  coroutine  by hand\n"
             "  50         50\n"
             "  51         51\n"
             "  nothing    nothing\n"
             "  nothing    nothing\n");
}

TEST_CASE("frame_tour stops where it is told to") {
    const Finished second = run_program("FRAME_TOUR", {"2"});
    CHECK(second.out.starts_with("2. One function, two frames\n"));
    CHECK(second.out.find("\n3. ") == std::string::npos);
    CHECK(run_program("FRAME_TOUR", {"5"}).status == 2);
    CHECK(run_program("FRAME_TOUR", {"3", "more"}).status == 2);
}

TEST_CASE("chain_tour shows that the outer one rests while the inner one runs") {
    const Finished finished = run_program("CHAIN_TOUR", {});
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    // 10 and 11 come from two places of the inner one, and one place of the outer one.
    const auto line = [&](const std::string& begin) {
        const auto found = finished.out.find(begin);
        REQUIRE(found != std::string::npos);
        return finished.out.substr(found, finished.out.find('\n', found) - found);
    };
    const std::string ten = line("  10: two_numbers at ");
    const std::string eleven = line("  11: two_numbers at ");
    const std::string twenty = line("  20: two_numbers at ");
    const auto inside = [](const std::string& text) {
        return text.substr(text.find("inside"));
    };
    CHECK(inside(ten) == inside(eleven));
    CHECK(inside(ten) != inside(twenty));
    CHECK(ten.substr(6, ten.find(',') - 6) != eleven.substr(6, eleven.find(',') - 6));
    CHECK(ten.substr(6, ten.find(',') - 6) == twenty.substr(6, twenty.find(',') - 6));
}

TEST_CASE("chain_tour resumes two generators of one function, each at its own place") {
    const Finished finished = run_program("CHAIN_TOUR", {"1"});
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    const auto line_of = [&](const std::string& name) {
        const std::string begin = "  " + name + ": two_numbers at chain_tour_main.cpp:";
        const auto found = finished.out.find(begin);
        REQUIRE(found != std::string::npos);
        return std::stoi(finished.out.substr(found + begin.size()));
    };
    CHECK(line_of("a") == line_of("b") + 1);
    CHECK(finished.out.find("\n2. ") == std::string::npos);
    CHECK(run_program("CHAIN_TOUR", {"3"}).status == 2);
    CHECK(run_program("CHAIN_TOUR", {"1", "file", "more"}).status == 2);
}

TEST_CASE("million counts what waits and then resumes it") {
    const Finished finished = run_program(
        "MILLION", {"--generators", "2000", "--coroutines", "100", "--threads", "10"});
    CAPTURE(finished.out);
    CHECK(finished.status == 0);
    CHECK(finished.out.find("10 threads wait\n") != std::string::npos);
    CHECK(finished.out.find("100 coroutines wait, each for another one inside it\n")
          != std::string::npos);
    CHECK(finished.out.find("2000 generators wait\n") != std::string::npos);
    CHECK(finished.out.find("  2000 of them resumed with their own number")
          != std::string::npos);
    CHECK(run_program("MILLION", {"--generators", "x"}).status == 2);
}

TEST_CASE("fetch_one fetches one page") {
    tests::ScriptedServer server;
    server.on("/", tests::html("hello"));
    const Finished finished = run_program("FETCH_ONE", {server.url()});
    CHECK(finished.status == 0);
    CHECK(finished.out == "status 200, 5 bytes\n");
    const Finished refused = run_program("FETCH_ONE", {"http://127.0.0.1:1/"});
    CHECK(refused.status == 1);
    CHECK(refused.err.find("  stage2::fetch_one, resumed at") != std::string::npos);
    CHECK(refused.err.find("onnection refused") != std::string::npos);
    const Finished misuse = run_program("FETCH_ONE", {});
    CHECK(misuse.status == 2);
    CHECK(std::ranges::count(misuse.err, '\n') == 1);
}

TEST_CASE("small_session prints both sides of the conversation") {
    const Finished finished = run_program("SMALL_SESSION", {});
    CHECK(finished.status == 0);
    CHECK(finished.out
          == "call it\n"
             "  nothing has run\n"
             "next()\n"
             "    (begins)\n"
             "  yields 1\n"
             "send(\"hello\")\n"
             "    (was sent \"hello\")\n"
             "  yields 2\n"
             "send(\"bye\")\n"
             "    (was sent \"bye\")\n"
             "  has ended, and returns \"done\"\n"
             "next()\n"
             "  has ended, and returns \"done\"\n");
}

TEST_CASE("small_fetch prints the size of the whole response") {
    tests::ScriptedServer server;
    server.on("/", {tests::Send{"HTTP/1.1 200 OK\r\n"},       // 17 bytes
                    tests::Send{"Connection: close\r\n\r\n"}, // 21
                    tests::Send{std::string(100'000, 'x')}});
    const Finished finished = run_program("SMALL_FETCH", {server.url()});
    CHECK(finished.status == 0);
    CHECK(finished.out == "100038 bytes\n");
    const Finished refused = run_program("SMALL_FETCH", {"http://127.0.0.1:1/"});
    CHECK(refused.status == 1);
    CHECK(refused.err == "small_fetch: connect: Connection refused\n");
    CHECK(run_program("SMALL_FETCH", {}).status == 2);
    CHECK(run_program("SMALL_FETCH", {"https://127.0.0.1/"}).status == 2);
}

TEST_CASE("small_crawl with coroutines prints what it finds and what it can't fetch") {
    tests::ScriptedServer server;
    server.on("/", tests::html("<a href=/b><a href=/a><a href=http://127.0.0.1:1/>"));
    server.on("/a", tests::redirect_to("/b"));
    server.on("/b", tests::html("<a href=/>"));
    const Finished finished = run_program("SMALL_CRAWL", {server.url()});
    CHECK(finished.status == 0);
    CHECK(finished.out
          == "http://127.0.0.1:1/\n" + server.url() + "\n" + server.url("/a") + "\n"
                 + server.url("/b") + "\n");
    const std::string heading = "http://127.0.0.1:1/: connect: Connection refused\n";
    CHECK(finished.err.starts_with(heading + "  small::fetch, waiting at fetch.cpp:"));
    CHECK(finished.err.find("\n  small::connect, resumed at fetch.cpp:")
          != std::string::npos);
    CHECK(std::ranges::count(finished.err, '\n') == 4);
    CHECK(run_program("SMALL_CRAWL", {}).status == 2);
    CHECK(run_program("SMALL_CRAWL", {"https://127.0.0.1/"}).status == 2);
}
