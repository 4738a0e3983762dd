// What a crawl finds, and how it copes with servers that fail: the same for stages 1 and
// 2.
#include "common/simple_crawl/crawl.h"
#include "common/system/selector.h"
#include "tests/crawl/stage_under_test.h"
#include "tests/practice_site/background_server.h"
#include "tests/practice_site/site.h"
#include "tests/support/faults.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/spying_selector.h"
#include "tests/support/waits.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

using namespace common;
using namespace tests;

namespace {

struct Result {
    common::Summary summary;
    std::vector<Record> records;
    std::vector<std::string> notes;

    const Record& record(const std::string& url) const {
        const auto found = std::ranges::find_if(
            records, [&](const Record& record) { return record.url.href() == url; });
        REQUIRE_MESSAGE(found != records.end(), "no record of " << url);
        return *found;
    }
    std::set<std::string> urls(Outcome outcome) const {
        std::set<std::string> result;
        for (const Record& record : records)
            if (record.outcome == outcome)
                result.emplace(record.url.href());
        return result;
    }
};

Result crawl(const std::string& root, common::Settings settings = {},
             std::string_view selector = "") {
    Result result;
    common::Tracer tracer;
    common::EventLoop loop(common::make_selector(selector), tracer);
    settings.on_record = [&](const Record& record) { result.records.push_back(record); };
    settings.on_note = [&](const std::string& note) { result.notes.push_back(note); };
    common::Crawl crawl(*common::parse_url(root), loop, tracer, settings);
    result.summary = tests::run_with_stage(crawl);
    return result;
}

/// A page with these links.
Reply page(const std::vector<std::string>& links) {
    std::string body;
    for (const std::string& link : links)
        body += fmt::format("<a href='{}'>x</a>\n", link);
    return html(body);
}

/// Has a page that leads to forty others. Each of them gets these replies in turn.
struct ManyPages : ScriptedServer {
    explicit ManyPages(const std::vector<Reply>& replies) {
        std::vector<std::string> links;
        for (int i = 0; i < 40; ++i) {
            links.push_back(fmt::format("/{}", i));
            on(links.back(), replies);
        }
        on("/", page(links));
    }
};

/// Has a page that leads to another.
struct TwoPages : ScriptedServer {
    explicit TwoPages(int family = AF_INET) : ScriptedServer(family) {
        on("/", page({"/a"}));
        on("/a", page({}));
    }
};

} // namespace

#ifdef TCP_USER_TIMEOUT
TEST_CASE("a request that nobody acknowledges isn't waited for much longer than 5 s") {
    ScriptedServer server;
    server.on("/", html(""));
    std::vector<unsigned> limits;
    common::Tracer tracer;
    common::EventLoop loop(
        std::make_unique<tests::SpyingSelector>([&limits](int fd, common::Events before,
                                                          common::Events) {
            unsigned limit = 0;
            socklen_t length = sizeof limit;
            if (before == common::Events::none
                && ::getsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, &length) == 0)
                limits.push_back(limit);
        }),
        tracer);
    common::Crawl crawl(*common::parse_url(server.url()), loop, tracer, {});
    CHECK(tests::run_with_stage(crawl).fetched == 1);
    REQUIRE_FALSE(limits.empty());
    CHECK(std::ranges::all_of(limits, [](unsigned limit) { return limit == 5000; }));
}
#endif

TEST_CASE("a crawl fetches every page once, and ends") {
    ScriptedServer server;
    server.on("/", page({"/a", "/b", "/a#part", "b", "/"})); // twice, and itself
    server.on("/a", page({"/b", "/c"}));
    server.on("/b", page({"/"})); // a cycle
    server.on("/c", page({}));
    const Result result = crawl(server.url());
    CHECK(result.urls(Outcome::page)
          == std::set{server.url("/"), server.url("/a"), server.url("/b"),
                      server.url("/c")});
    CHECK(result.summary.fetched == 4);
    CHECK(result.summary.dead == 0);
    CHECK(server.requests().size() == 4);
    CHECK(result.notes.empty());
}

TEST_CASE("links are fetched at the same time") {
    ManyPages server({Reply{tests::Meet{40}, html("")[0]}});
    const Result result = crawl(server.url());
    CHECK(result.summary.fetched == 41);
    CHECK(result.summary.most_at_once == 41); // the root isn't done until they have begun
    CHECK(server.most_at_once() == 40);
}

TEST_CASE("only pages are searched for links") {
    ScriptedServer server;
    server.on("/", page({"/gone", "/text", "/untyped"}));
    server.on("/gone", tests::respond(404, "text/html", "<a href=/hidden>x</a>"));
    server.on("/text", tests::respond(200, "text/plain", "<a href=/hidden>"));
    server.on("/untyped", {Send{"HTTP/1.0 200 OK\r\n\r\n<a href=/found>"}});
    server.on("/found", page({}));
    const Result result = crawl(server.url());
    CHECK(result.record(server.url("/gone")).outcome == Outcome::dead);
    CHECK(result.record(server.url("/gone")).status == 404);
    CHECK(result.record(server.url("/gone")).error == "HTTP status 404");
    CHECK(result.urls(Outcome::file) == std::set{server.url("/text")});
    CHECK(server.times_asked("/hidden") == 0);
    CHECK(server.times_asked("/found") == 1);
}

TEST_CASE("a compressed page is dead but other compressed responses are not affected") {
    const auto respond = [](const std::string& status, const std::string& type) {
        return Reply{Send{"HTTP/1.0 " + status + "\r\nContent-Type: " + type
                          + "\r\nContent-Encoding: gzip\r\nLocation: /next\r\n\r\n\x1f"}};
    };
    ScriptedServer server;
    server.on("/", page({"/page", "/archive", "/moved", "/gone"}));
    server.on("/page", respond("200 OK", "text/html"));
    server.on("/archive", respond("200 OK", "application/x-tar"));
    server.on("/moved", respond("301 Moved", "text/html"));
    server.on("/gone", respond("404 Not Found", "text/html"));
    server.on("/next", page({}));
    const Result result = crawl(server.url());
    CHECK(result.record(server.url("/page")).error
          == "compressed, though not asked to be");
    CHECK(result.record(server.url("/archive")).outcome == Outcome::file);
    CHECK(result.record(server.url("/moved")).outcome == Outcome::redirect);
    CHECK(result.record(server.url("/next")).outcome == Outcome::page);
    CHECK(result.record(server.url("/gone")).error == "HTTP status 404");
}

TEST_CASE("a crawl stays on its host, at any port") {
    ScriptedServer server;
    ScriptedServer neighbour; // the same host, another port
    const std::string elsewhere = fmt::format("http://localhost:{}/x", neighbour.port());
    server.on("/",
              page({neighbour.url("/y"), elsewhere, "https://127.0.0.1/", "mailto:a@b"}));
    neighbour.on("/y", page({}));
    const Result result = crawl(server.url());
    CHECK(result.urls(Outcome::page) == std::set{server.url("/"), neighbour.url("/y")});
    CHECK(result.records.size() == 2);
    CHECK(neighbour.times_asked("/x") == 0);
}

TEST_SUITE("redirects") {
    TEST_CASE("a redirect's target is crawled like a link") {
        ScriptedServer server;
        server.on("/", tests::redirect_to("/a/", 301));
        server.on("/a/", page({"b"}));
        server.on("/a/b", tests::redirect_to("../c#part", 308));
        server.on("/c", page({"/a/b", "/circle"}));
        server.on("/circle", tests::redirect_to("/"));
        const Result result = crawl(server.url());
        CHECK(result.urls(Outcome::redirect)
              == std::set{server.url("/"), server.url("/a/b"), server.url("/circle")});
        CHECK(result.urls(Outcome::page)
              == std::set{server.url("/a/"), server.url("/c")});
        CHECK(result.record(server.url("/a/b")).next->href() == server.url("/c"));
        CHECK(server.requests().size() == 5);
    }

    TEST_CASE("a redirect that leads off the host is recorded, not followed") {
        ScriptedServer server;
        const std::string elsewhere = fmt::format("http://localhost:{}/x", server.port());
        server.on("/", tests::redirect_to(elsewhere));
        const Result result = crawl(server.url());
        CHECK(result.record(server.url("/")).outcome == Outcome::redirect);
        CHECK(result.record(server.url("/")).next->href() == elsewhere);
        CHECK(result.records.size() == 1);
    }

    TEST_CASE("a redirect without a target to crawl is dead") {
        ScriptedServer server;
        server.on("/", page({"/none", "/empty", "/file", "/304"}));
        server.on("/none", tests::respond(302, "text/html", ""));
        server.on("/empty", tests::redirect_to(""));
        server.on("/file", tests::redirect_to("file:///etc/passwd"));
        server.on("/304", tests::redirect_to("/hidden", 304));
        const Result result = crawl(server.url());
        for (const char* path : {"/none", "/empty", "/file"}) {
            CAPTURE(path);
            CHECK(result.record(server.url(path)).outcome == Outcome::dead);
            CHECK(result.record(server.url(path)).error == "redirect without a target");
        }
        CHECK(result.record(server.url("/304")).error == "HTTP status 304");
        CHECK(server.times_asked("/hidden") == 0);
    }
}

TEST_SUITE("servers that fail") {
    TEST_CASE("a refused connection is a dead URL with its reason and what to start") {
        const Result result = crawl("http://127.0.0.1:1/");
        CHECK(result.summary.dead == 1);
        CHECK(result.summary.fetched == 0);
        CHECK(result.records.at(0).error == "connection refused");
        REQUIRE(result.notes.size() == 1);
        CHECK(result.notes[0].starts_with("nothing listens there; ./learn site"));
    }

    TEST_CASE("a host that does not resolve is a dead URL with its reason") {
        const std::string host(70, 'x'); // too long for a label: no name server is asked
        const Result result = crawl("http://" + host + "/");
        CHECK(result.summary.dead == 1);
        CHECK(result.records.at(0).error.starts_with("cannot resolve '" + host + "'"));
    }

    TEST_CASE("a failure is one dead URL, and the crawl continues") {
        ScriptedServer server;
        const std::map<std::string, Reply> failures{
            {"/reset", {Reset{}}},
            {"/cut", {Send{"HTTP/1.0 200 OK\r\nContent-Length: 100\r\n\r\nabc"}}},
            {"/broken",
             {Send{"HTTP/1.0 200 OK\r\n\r\nabc"}, tests::Pause{50ms}, Reset{}}},
            {"/empty", {}},
            {"/ssh", {Send{"SSH-2.0-OpenSSH\r\n"}}},
            {"/header", {Send{"HTTP/1.0 200 OK\r\nnonsense\r\n\r\n"}}},
        };
        std::vector<std::string> links{"/good"};
        for (const auto& [path, reply] : failures) {
            links.push_back(path);
            server.on(path, reply);
        }
        server.on("/", page(links));
        server.on("/good", page({"/last"}));
        server.on("/last", page({}));
        const Result result = crawl(server.url());
        CHECK(result.summary.fetched == 3);
        CHECK(result.summary.dead == failures.size());
        CHECK(result.record(server.url("/reset")).error == "connection reset by peer");
        CHECK(result.record(server.url("/cut")).error
              == "truncated: 3 of 100 bytes came");
        CHECK(result.record(server.url("/broken")).error == "connection reset by peer");
        CHECK(result.record(server.url("/broken")).bytes == 22); // headers and all
        CHECK(result.record(server.url("/empty")).error == "empty response");
        CHECK(result.record(server.url("/ssh")).error == "not an HTTP response");
        CHECK(result.record(server.url("/header")).error == "malformed header");
        CHECK(server.times_asked("/reset") == 1);
    }

    TEST_CASE("a server that falls silent delays no other page and is given up") {
        tests::may_wait(2s, "patience ends when nothing has happened for 2 s");
        ScriptedServer server;
        server.on("/", page({"/silent", "/half", "/1"}));
        server.on("/silent", {Hold{}});
        server.on("/half", {Send{"HTTP/1.0 200 OK\r\n\r\nabc"}, Hold{}});
        for (int i = 1; i < 10; ++i)
            server.on(fmt::format("/{}", i), page({fmt::format("/{}", i + 1)}));
        server.on("/10", page({}));
        common::Settings settings;
        settings.patience = 2s;
        const Result result = crawl(server.url(), settings);
        CHECK(result.summary.fetched == 11);
        CHECK(result.urls(Outcome::dead)
              == std::set{server.url("/half"), server.url("/silent")});
        CHECK(result.record(server.url("/silent")).error == "no answer");
        REQUIRE(result.notes.size() == 1);
        CHECK(result.notes[0]
              == "giving up: nothing has happened for 2 s, and 2 URLs are still pending");
    }

    TEST_CASE("a connection that is kept is not waited for after the response's end") {
        ScriptedServer server;
        Reply reply = html("<a href=/chunked>");
        reply.emplace_back(Hold{});
        server.on("/", reply);
        const std::string chunked =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            "Transfer-Encoding: chunked\r\n\r\n5\r\n<a hr\r\n8\r\nef=/two>\r\n0\r\n\r\n";
        server.on("/chunked", {Send{chunked}, Hold{}});
        server.on("/two", {Send{"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                                "Content-Length: 15\r\n\r\n<a href=/three>"},
                           Hold{}});
        server.on("/three", {Send{"SSH-2.0-OpenSSH\r\n"}, Hold{}});
        const Result result = crawl(server.url()); // with 30 s of patience
        CHECK(result.summary.seconds < 20s);
        CHECK(result.urls(Outcome::page)
              == std::set{server.url("/"), server.url("/chunked"), server.url("/two")});
        CHECK(result.record(server.url("/three")).error == "not an HTTP response");
    }

    TEST_CASE("a response of exactly the limit is taken") {
        ScriptedServer server;
        const std::string response =
            "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + std::string(1000, 'x');
        server.on("/", {Send{response}});
        common::Settings settings;
        settings.max_response = response.size();
        CHECK(crawl(server.url(), settings).summary.fetched == 1);
        settings.max_response = response.size() - 1;
        CHECK(crawl(server.url(), settings).summary.dead == 1);
    }

    TEST_CASE("an endless body is cut off") {
        ScriptedServer server;
        Reply endless{Send{"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"}};
        for (int i = 0; i < 100; ++i)
            endless.emplace_back(Send{std::string(64 * 1024, 'x')});
        server.on("/", page({"/endless", "/good"}));
        server.on("/endless", endless);
        server.on("/good", page({}));
        common::Settings settings;
        settings.max_response = 100'000;
        const Result result = crawl(server.url(), settings);
        CHECK(result.record(server.url("/endless")).error
              == "response larger than 100000 bytes");
        CHECK(result.record(server.url("/endless")).bytes < 200'000);
        CHECK(result.record(server.url("/endless")).bytes > 100'000);
        CHECK(result.summary.fetched == 2);
    }

    TEST_CASE("with many in flight, broken connections are tried again among fewer") {
        for (const Reply& broken : {Reply{Reset{}}, Reply{}}) {
            ManyPages server({broken, page({})});
            const Result result = crawl(server.url());
            CHECK(result.summary.fetched == 41);
            CHECK(result.summary.dead == 0);
            CHECK(server.requests().size() == 81);
            REQUIRE(result.notes.size() == 1);
            CHECK(result.notes[0]
                  == "the server can't take 41 connections at once: from here on, there "
                     "are at most 10");
        }
    }

    TEST_CASE("once: a page whose connection breaks again is dead") {
        ManyPages server({Reply{Reset{}}});
        CHECK(crawl(server.url()).summary.dead == 40);
        CHECK(server.requests().size() == 81);
    }

    TEST_CASE("a connection that breaks in the middle of a response is not tried again") {
        tests::may_wait(
            40 * 50ms, "40 connections break 50 ms later, most of them at the same time");
        ManyPages server(
            {Reply{Send{"HTTP/1.0 200 OK\r\n\r\nabc"}, tests::Pause{50ms}, Reset{}}});
        CHECK(crawl(server.url()).summary.dead == 40);
        CHECK(server.requests().size() == 41);
    }

    TEST_CASE("a connection that breaks after the others were answered is tried again") {
        tests::may_wait(
            5 * 300ms,
            "five connections break 300 ms later, most of them at the same time");
        // This happens to connections that are dropped from a server's queue: seconds
        // pass before they count as broken.
        ManyPages server({page({})});
        for (int i = 0; i < 40; i += 8)
            server.on(fmt::format("/{}", i),
                      {Reply{tests::Pause{300ms}, Reset{}}, page({})});
        const Result result = crawl(server.url());
        CHECK(result.summary.fetched == 41);
        CHECK(result.summary.dead == 0);
        REQUIRE(result.notes.size() == 1);
        CHECK(result.notes[0].starts_with("the server can't take 41 connections"));
    }

    TEST_CASE("a connection that breaks when there never were many is dead at once") {
        ScriptedServer server;
        server.on("/", page({"/first"}));
        server.on("/first", {Reply{Reset{}}, page({})});
        const Result result = crawl(server.url());
        CHECK(result.summary.dead == 1);
        CHECK(server.times_asked("/first") == 1);
        CHECK(result.notes.empty());
    }
}

TEST_SUITE("failures of the system") {
    TEST_CASE("a connection that breaks before the request is sent is one dead URL") {
        ScriptedServer server;
        server.on("/", page({"/a", "/b"}));
        server.on("/a", page({}));
        server.on("/b", page({}));
        Fault fault;
        fault.broken_send = 2;
        const Result result = crawl(server.url());
        CHECK(fault.sends == 3);
        CHECK(result.summary.fetched == 2);
        CHECK(result.summary.dead == 1);
    }

    TEST_CASE("a request that is sent in pieces arrives whole") {
        TwoPages server;
        Fault fault;
        fault.send_at_most = 7;
        fault.send_blocks_every_second_time = true;
        const Result result = crawl(server.url());
        CHECK(result.summary.fetched == 2);
        CHECK(fault.sends > 20); // it was really sent in pieces
        REQUIRE(server.requests().size() == 2);
        CHECK(
            server.requests()[0].head.starts_with("GET / HTTP/1.0\r\nHost: 127.0.0.1:"));
        CHECK(server.requests()[0].head.ends_with("Connection: close"));
    }

    TEST_CASE("interrupted system calls lose nothing") {
        TwoPages server;
        Fault fault;
        fault.interruptions = 6;
        CHECK(crawl(server.url()).summary.fetched == 2);
        CHECK(fault.interrupted == 6);
    }

    TEST_CASE("a site is crawled over IPv6") {
        std::unique_ptr<TwoPages> server;
        try {
            server = std::make_unique<TwoPages>(AF_INET6);
        } catch (const std::system_error& error) {
            MESSAGE("skipped: no IPv6 on this machine: " << error.what());
            return;
        }
        CHECK(crawl(server->url()).summary.fetched == 2);
        CHECK(server->requests().at(0).head.find("Host: [::1]:") != std::string::npos);
    }

    TEST_CASE("without a descriptor to look up a host, a lone URL of it is dead") {
        ScriptedServer server;
        const std::string twin = fmt::format("http://www.twin.test:{}/x", server.port());
        server.on("/", page({"/slow", twin}));
        server.on("/slow", Reply{tests::Pause{100ms}, html("")[0]});
        server.on("/x", page({}));
        Fault fault;
        fault.loopback_name = "twin.test";
        const std::string root = fmt::format("http://twin.test:{}/", server.port());
        CHECK(crawl(root).summary.dead == 1); // the twin isn't known by that name
        fault.loopback_name = "www.twin.test";
        fault.no_descriptor_to_resolve = 1;
        const Result result =
            crawl(fmt::format("http://www.twin.test:{}/", server.port()));
        CHECK(result.summary.dead == 1); // alone in flight, it can't wait for another
        CHECK(result.records.at(0).error.find("too many open files")
              != std::string::npos);
    }

    TEST_CASE("a host's next address is tried when one refuses") {
        TwoPages server; // on 127.0.0.1 and nowhere else
        Fault fault;
        fault.first_address = "127.0.0.2";
        CHECK(crawl(server.url()).summary.fetched == 2);
        CHECK(fault.resolved == 1); // once for the host, not once for each page
    }
}

TEST_CASE("the whole practice site is found with each selector") {
    const practice_site::Site site({.pages = 300, .links = 12, .size = 2000, .seed = 7});
    practice_site::BackgroundServer server(
        [&](const auto& request) { return site.answer(request); }, {.latency = 20ms});
    const auto manifest = site.manifest(server.origin());
    for (const std::string_view selector : common::selector_names()) {
        CAPTURE(selector);
        const Result result = crawl(server.url(), {}, selector);
        CHECK(result.urls(Outcome::page) == manifest.pages);
        CHECK(result.urls(Outcome::dead) == manifest.dead);
        CHECK(result.urls(Outcome::redirect).size() == manifest.redirects.size());
        CHECK(result.records.size()
              == manifest.pages.size() + manifest.dead.size()
                     + manifest.redirects.size());
    }
    CHECK(server.statistics().most_requests > 30);
}
