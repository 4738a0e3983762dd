// What stands before the door to HTTP: when is a server asked, and what comes of it?
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/remembering_fetch.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/stage3/runtime/loop_test.h"
#include "tests/support/box/http.h"
#include "tests/support/box/scripted_web.h"
#include "tests/support/url.h"

using namespace stage3;
using Source = KeptParts::Source;
using tests::Log;
using tests::url_of;

namespace box = tests::box;

namespace {

/// One answer, which takes its time.
struct OneAnswer final : Answers {
    explicit OneAnswer(Source source) {
        if (source == Source::server)
            return; // there is none
        response.emplace();
        response->status = 200;
        response->content_type = "text/html";
        response->retry_after = 100s;
        response->kept = std::make_shared<KeptParts>();
        response->kept->source = source;
        response->kept->etag = "\"a\"";
        response->kept->last_modified = "Thu, 01 Jan 2026 00:00:00 GMT";
        response->kept->tries = 3;
        response->kept->may_be_private = true;
    }

    bool will_do(const common::Url& /*url*/, Purpose /*purpose*/) const override {
        return response && response->kept->source != Source::old;
    }
    Coroutine<std::optional<PageResponse>> find(common::Url /*url*/,
                                                Purpose /*purpose*/) override {
        co_await sleep(time_to_find);
        co_return std::move(response);
    }
    void keep(const Item& /*item*/, const PageResponse& /*response*/, bool /*is_alive*/,
              const common::Links* /*links*/) override {}

    std::optional<PageResponse> response;
    EventLoop::Duration time_to_find = 500ms;
};

/// A crawl's door to a server, and what stands before it.
struct Door {
    explicit Door(Source source) : answers(source) {}

    Fetched fetch(bool is_remembered = false) {
        PageRequest request(url_of(server.url("/")));
        request.is_remembered = is_remembered;
        request.on_request = [this] { asked_at.push_back(loop.time() - start); };
        return run_until_complete(loop, create_task(loop, remembering.fetch(request)));
    }
    PageResponse response() {
        Fetched fetched = fetch();
        REQUIRE(std::holds_alternative<PageResponse>(fetched));
        return std::get<PageResponse>(std::move(fetched));
    }
    /// The headers of each request that the server got.
    std::vector<Log> conditions() const {
        std::vector<Log> all;
        for (const box::Request& request : web.requests())
            all.push_back(request.headers);
        return all;
    }

    box::ScriptedWeb web;
    box::Server server{web};
    EventLoop loop{web.time().options(1)};
    const EventLoop::TimePoint start = loop.time();
    box::Http http{loop, web, {}};
    const RequestRules rules{
        std::make_shared<Scope>(Reach::host, std::vector{url_of(server.url("/"))}),
        {},
        {},
        {}};
    PageFetch behind{loop,          http,     rules,
                     RetryLimits(), Checks(), [](const std::string&) {}};
    OneAnswer answers;
    RememberingFetch remembering{behind, answers, http, RetryLimits()};
    std::vector<EventLoop::Duration> asked_at;
};

} // namespace

TEST_CASE("a recent answer is taken as it is, and its server isn't asked") {
    Door door(Source::recent);
    const PageResponse response = door.response();
    CHECK(door.conditions().empty());
    CHECK(door.asked_at.empty());
    CHECK(response.status == 200);
    CHECK(response.earlier_tries == 3);
    CHECK(response.asks_too_much); // 100 s
    CHECK(door.http.may_be_private());
}

TEST_CASE("an old answer is right if the server says so, perhaps with a new validator") {
    Door door(Source::old);
    box::Reply reply = box::respond(304, "text/plain", "");
    SUBCASE("the same") {}
    SUBCASE("another") { reply.headers.emplace_back("ETag: \"b\""); }
    door.server.on("/", {reply});
    const PageResponse response = door.response();
    CHECK(door.conditions()
          == std::vector<Log>{Log{"If-None-Match: \"a\"",
                                  "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"}});
    CHECK(response.status == 200);
    CHECK(response.content_type == "text/html");
    CHECK(response.earlier_tries == 0); // it was asked just now
    CHECK(response.reaction == Reaction::answered);
    CHECK(response.kept->source == Source::unchanged);
    CHECK(response.kept->etag == (reply.headers.size() > 1 ? "\"b\"" : "\"a\""));
    CHECK_FALSE(response.kept->may_be_private);
}

TEST_CASE("if it has changed, the new answer counts") {
    Door door(Source::old);
    box::Reply reply = box::respond(200, "text/html", "<a href=/b>");
    reply.headers.emplace_back("ETag: \"b\"");
    door.server.on("/", {reply});
    const PageResponse response = door.response();
    CHECK(door.conditions().size() == 1);
    CHECK(response.body == "<a href=/b>");
    CHECK(response.kept->source == Source::server);
    CHECK(response.kept->etag == "\"b\"");
}

TEST_CASE("without an answer the server is asked, and what to keep is noted") {
    Door door(Source::server);
    box::Reply reply = box::respond(200, "text/html", "");
    reply.headers.emplace_back("Last-Modified: today");
    door.server.on("/", {reply});
    const PageResponse response = door.response();
    CHECK(door.conditions() == std::vector<Log>{Log{}});
    CHECK(response.kept->last_modified == "today");
    CHECK(response.kept->etag.empty());
}

TEST_CASE("an answer that is gone puts its item off, which must wait for its turn now") {
    Door door(Source::server);
    const Fetched fetched = door.fetch(true);
    REQUIRE(std::holds_alternative<Again>(fetched));
    CHECK_FALSE(std::get<Again>(fetched).was_a_try);
    CHECK(door.conditions().empty());
}

TEST_CASE(
    "a host's pause begins when the request goes out, however long the search was") {
    Door door(Source::old);
    door.server.on("/", {box::respond(304, "text/plain", "")});
    CHECK(door.response().status == 200);
    CHECK(door.asked_at == std::vector<EventLoop::Duration>{500ms});
}
