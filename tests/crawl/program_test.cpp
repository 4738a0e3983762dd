// The programs of stages 1 and 2 as their users see them: what they print, how they exit,
// and how they cope with few descriptors. The environment variable PROGRAM says which one
// is tested.
#include "common/system/descriptors.h"
#include "tests/practice_site/background_site.h"
#include "tests/support/prelude.h"
#include "tests/support/process.h"
#include "tests/support/scripted_server.h"
#include "tests/support/waits.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <unistd.h>

using namespace tests;

namespace {

Finished run_stage(std::vector<std::string> arguments,
                   const tests::RunOptions& how = {}) {
    return tests::run_program("PROGRAM", std::move(arguments), how);
}

/// The URLs of the lines that begin with this outcome.
std::set<std::string> urls(const std::string& out, const std::string& outcome) {
    std::set<std::string> result;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first;
        std::string status;
        std::string bytes;
        std::string url;
        words >> first >> status >> bytes >> url;
        if (first == outcome)
            result.insert(url);
    }
    return result;
}

struct ListedSite : practice_site::BackgroundSite {
    explicit ListedSite(const practice_site::SiteOptions& options)
        : BackgroundSite(options, 10ms) {}

    void check(const Finished& finished) const {
        CAPTURE(finished.err);
        CHECK(finished.status == 1); // there are dead links
        CHECK(urls(finished.out, "page") == manifest.pages);
        CHECK(urls(finished.out, "dead") == manifest.dead);
        CHECK(urls(finished.out, "redirect").size() == manifest.redirects.size());
        CHECK(last_line(finished.out)
                  .starts_with(
                      fmt::format("{} URLs fetched in ",
                                  manifest.pages.size() + manifest.redirects.size())));
        CHECK(last_line(finished.out)
                  .find(fmt::format(" seconds, {} dead, achieved concurrency ",
                                    manifest.dead.size()))
              != std::string::npos);
    }
};

} // namespace

TEST_CASE("bad usage prints one line and exits with status 2") {
    const std::string program = tests::path_in("PROGRAM");
    const auto refused = [&](const std::vector<std::string>& arguments,
                             const std::string& words) {
        const Finished finished = run_stage(arguments);
        CAPTURE(finished.err);
        CHECK(finished.status == 2);
        CHECK(finished.out.empty());
        CHECK(std::ranges::count(finished.err, '\n') == 1);
        CHECK(finished.err.starts_with(program.substr(program.rfind('/') + 1) + ": "));
        CHECK(finished.err.find(words) != std::string::npos);
    };
    refused({}, "URL is required");
    refused({"https://x/"}, "speak plain http, not https");
    refused({"nonsense:"}, "'nonsense:' is not a URL to crawl");
    refused({""}, "is not a URL to crawl");
    refused({"ftp://x/"}, "is not a URL to crawl");
    refused({"http://h:99999/"}, "is not a URL to crawl");
    refused({"http://h/", "http://g/"}, "not expected");
    refused({"--selector", "kqueue2", "http://h/"}, "choose one of");
    refused({"--selektor", "http://h/"},
            "unknown option --selektor: did you mean --selector?");
    refused({"--trace", "/no/such/folder/x", "http://h/"}, "/no/such/folder/x");
}

TEST_CASE("help goes to stdout and is no error") {
    const Finished finished = run_stage({"--help"});
    CHECK(finished.status == 0);
    CHECK(finished.out.find("--selector") != std::string::npos);
    CHECK(finished.err.empty());
}

TEST_CASE("a trace records the outcome of each fetch") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/moved><a href=/broken><a href=/silent>"));
    server.on("/moved", tests::redirect_to("/"));
    server.on("/broken", {tests::Send{"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nab"},
                          tests::Reset{}});
    server.on("/silent", Reply{});
    const std::string file = fmt::format("/tmp/program_test_{}.trace", ::getpid());
    const Finished finished = run_stage({"--trace", file, server.url()});
    CHECK(finished.status == 1);
    CHECK(urls(finished.out, "dead")
          == std::set{server.url("/broken"), server.url("/silent")});
    CHECK(finished.out.find("/silent (empty response)\n") != std::string::npos);
    std::ifstream stream(file);
    std::map<std::string, std::string> ends; // what follows the URL
    for (std::string line; std::getline(stream, line);)
        if (line.find(R"("event":"fetch","phase":"end")") != std::string::npos)
            for (const char* page : {"/moved", "/broken", "/silent"})
                if (const auto at = line.find(std::string(page) + "\"");
                    at != std::string::npos)
                    ends[page] = line.substr(at + std::string(page).size() + 2);
    std::remove(file.c_str());
    CHECK(ends["/moved"] == R"("status":302,"bytes":0,"next":")" + server.url() + "\"}");
    CHECK(ends["/broken"].find(R"("error":"connection reset by peer")")
          != std::string::npos);
    CHECK(ends["/broken"].find(R"("bytes":0)") == std::string::npos);
    CHECK(ends["/silent"] == R"("status":null,"bytes":0,"error":"empty response"})");
}

TEST_CASE("a site without dead links means exit status 0") {
    ScriptedServer server;
    server.on("/", tests::html("<a href=/a>"));
    server.on("/a", tests::redirect_to("/"));
    const Finished finished = run_stage({server.url()});
    CHECK(finished.status == 0);
    CHECK(finished.out.find(fmt::format("page      200        11  {}\n", server.url()))
          == 0);
    CHECK(finished.out.find(fmt::format("redirect  302         0  {} -> {}\n",
                                        server.url("/a"), server.url()))
          != std::string::npos);
    CHECK(finished.err.empty());
}

TEST_CASE("control bytes from a server never reach the terminal") {
    ScriptedServer server;
    server.on("/", tests::html("<a href='/\x1b[31m'>x</a>"));
    server.on("/%1B[31m", {tests::Send{"HTTP/1.0 404 \x1b[2J\r\nA: \x07\r\n\r\n"}});
    const Finished finished = run_stage({server.url()});
    CHECK(urls(finished.out, "dead") == std::set{server.url("/%1B[31m")});
    CHECK(finished.out.find('\x1b') == std::string::npos);
    CHECK(finished.out.find('\x07') == std::string::npos);
}

TEST_CASE("with few descriptors, fetches wait their turn and none is lost") {
    const ListedSite site({.pages = 1000, .links = 20, .size = 2000, .seed = 3});
    for (const char* selector : {"epoll", "poll", "select"}) {
        CAPTURE(selector);
        const Finished finished =
            run_stage({"--selector", selector, site.server.url()}, {.descriptors = 64});
        site.check(finished);
        CHECK(std::ranges::count(finished.err, '\n') == 1); // it is said once
        CHECK(finished.err.find("no descriptor is left") != std::string::npos);
    }
}

TEST_CASE("with select, fetches wait when it can watch no more descriptors") {
    tests::may_wait(1501 * 200ms,
                    "each answer takes 200 ms, a thousand of them at the same time");
    // More links on one page than FD_SETSIZE, all in flight at once if they could be.
    const std::size_t needed = 2 * 1500;
    if (common::allow_descriptors() < needed) {
        MESSAGE("skipped: this shell does not allow enough descriptors");
        return;
    }
    std::string links;
    for (int i = 0; i < 1500; ++i)
        links += fmt::format("<a href=/{}>x</a>", i);
    const practice_site::BackgroundServer server(
        [&](const practice_site::Request& request) {
            return practice_site::Answer{.body = request.target == "/" ? links : ""};
        },
        {.latency = 200ms});
    const Finished finished = run_stage({"--selector", "select", server.url()});
    CHECK(finished.status == 0);
    CHECK(urls(finished.out, "page").size() == 1501);
    CHECK(std::ranges::count(finished.err, '\n') == 1);
    CHECK(finished.err.find("no descriptor is left") != std::string::npos);
}
