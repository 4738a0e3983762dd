// The program has too few descriptors, or can start no thread.
#include "tests/stage3/program/program_under_test.h"

using namespace tests;

TEST_CASE("with few descriptors there are fewer workers, and no link is reported dead") {
    const PracticeSite site(many_pages);
    for (const auto& [descriptors, workers] : {std::pair(34U, 1U), {64U, 24U}}) {
        const Finished finished =
            run_stage3({"-w", "500", "--format", "jsonl", site.server.url()},
                       {.descriptors = descriptors});
        site.check(finished);
        CHECK(std::ranges::count(finished.err, '\n') == 1);
        CHECK(finished.err
              == fmt::format("stage3: there is room for {} connections, of which {} are "
                             "for robots.txt: so there are {} workers and not 500 (see "
                             "ulimit -n)\n",
                             descriptors - 32, descriptors - 32 - workers, workers));
    }
    CHECK(run_stage3({"-w", "500", "--no-robots", "-q", site.server.url()},
                     {.descriptors = 64})
              .err.empty());
    CHECK(run_stage3({"-w", "500", "--no-robots", site.server.url()}, {.descriptors = 64})
              .err
          == "stage3: there is room for 32 connections: so there are 32 workers and not "
             "500 (see ulimit -n)\n");
}

TEST_CASE("finished results come out, even if the crawl can't continue") {
    ScriptedServer server;
    add_long_urls(server);
    // Descriptors run out while the program waits for the reader of its results.
    const TemporaryFile file;
    std::vector<std::string> command{"/bin/sh", "-c",
                                     R"(file=$1; shift
           { "$@"; echo "status $?" >&2; } |
           { until [ -e "$file" ]; do sleep .1; done; cat; })",
                                     "sh", file.path()};
    const auto crawl = preloaded("NO_SOCKETS_WHEN=" + file.path(),
                                 {"-w", "1", "--format", "jsonl", server.url()});
    command.insert(command.end(), crawl.begin(), crawl.end());
    const Finished finished =
        tests::run(command, {.meanwhile = [&](pid_t) {
                       wait_until([&] { return server.requests().size() > 20; });
                       wait_until_it_rests(server);
                       file.write();
                   }});
    CHECK(finished.err.find("there is no descriptor for even one connection")
          != std::string::npos);
    CHECK(finished.err.ends_with("status 3\n"));
    CHECK(finished.out.ends_with("}\n"));
    // One request was for robots.txt.
    CHECK(lines(finished.out).size() + 1 == server.requests().size());
    CHECK(server.requests().size() > 20);
    CHECK(server.requests().size() < 100);
}

TEST_CASE("if no thread can be started, pages are read nevertheless") {
    ScriptedServer server;
    server.on("/", html(std::string(1'000'000, ' ') + "<a href=/a>"));
    server.on("/a", html(""));
    const Finished finished =
        run_preloaded("NO_THREADS=1", {"--parse-threads", "3", server.url()});
    CHECK(finished.status == 0);
    CHECK(last_line(finished.out).ends_with(" s: 2 fetched, 0 redirects, 0 dead."));
}

TEST_CASE("with few descriptors, a robots.txt that never comes delays no other host") {
    ScriptedServer silent;
    silent.on("/robots.txt", {Hold{}});
    std::vector<std::unique_ptr<ScriptedServer>> others;
    std::vector<std::string> arguments{"-w",       "50",    "--timeout", "3",
                                       "--format", "jsonl", silent.url()};
    for (int i = 0; i < 5; ++i) {
        others.push_back(std::make_unique<ScriptedServer>());
        others.back()->on("/", html(""));
        arguments.push_back(others.back()->url());
    }
    const Finished finished = run_stage3(arguments, {.descriptors = 64});
    CHECK(finished.status == 3);
    CHECK(lines(finished.out).size() == 5 + 1); // the last one says why it isn't complete
}
