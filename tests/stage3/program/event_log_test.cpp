// The event log that --trace writes.
#include "tests/stage3/program/program_under_test.h"

using namespace tests;

TEST_CASE("--trace writes its events into a file") {
    ScriptedServer server;
    server.on("/", html("<a href=/gone>"));
    server.on("/robots.txt", tests::redirect_to("/rules"));
    server.on("/rules", tests::respond(200, "text/plain", "User-agent: x"));
    const TemporaryFile file;
    CHECK(run_stage3({"--trace", file.path(), server.url()}).status == 1);
    const std::string text = file.text();
    const auto count = [&](const std::string& words) {
        std::size_t number = 0;
        for (auto at = text.find(words); at != std::string::npos;
             at = text.find(words, at + 1))
            ++number;
        return number;
    };
    CHECK(count(R"("event":"fetch","phase":"start")") == 4); // including robots.txt
    CHECK(count(R"("event":"fetch","phase":"end")") == 4);
    CHECK(count(R"("status":404)") == 1);
    CHECK(count(R"(/robots.txt","status":302,"bytes":0,"next":")" + server.url("/rules"))
          == 1);
    CHECK(count(R"(/rules","status":200,"bytes":13})") == 1);
    // The workers already wait when the root is put into the queue, since a URL that
    // waits for robots.txt isn't in it yet.
    CHECK(count(R"("event":"queue","phase":"hand_over")") == 2);
    CHECK(count("\"item\":\"" + server.url("/gone") + "\"") == 1);
    CHECK(count(R"("event":"queue","phase":"task_done")") == 2);
}

TEST_CASE("a trace shows the outcome of each fetch") {
    ScriptedServer server;
    server.on("/", html("<a href=/moved><a href=/broken>"));
    server.on("/moved", tests::redirect_to("/"));
    server.on("/broken", {tests::Send{"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n"
                                      "Content-Length: 9\r\n\r\nab"},
                          tests::Reset{}});
    const TemporaryFile file;
    CHECK(run_stage3(
              {"--no-robots", "--max-tries", "1", "--trace", file.path(), server.url()})
              .status
          == 1);
    const std::string text = file.text();
    CHECK(text.find(R"(/moved","status":302,"bytes":0,"next":")" + server.url() + "\"}")
          != std::string::npos);
    CHECK(text.find(R"(/broken","status":200,"bytes":2,"error":")") != std::string::npos);
}

TEST_CASE("a trace that can't be written is cut off, and nothing else is lost") {
    const PracticeSite site(many_pages);
    const Finished finished =
        run_stage3({"--trace", "/dev/full", "--format", "jsonl", site.server.url()});
    site.check(finished, 1); // something is dead
    CHECK(finished.err
          == "stage3: --trace: the trace is cut off: No space left on device\n");
    ScriptedServer alive;
    alive.on("/", html(""));
    CHECK(run_stage3({"--trace", "/dev/full", alive.url()}).status == 3);
}
