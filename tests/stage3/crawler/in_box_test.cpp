// The box itself: what a crawl of it meets is what a crawl of sockets would.
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/stage3/crawler/crawl_in_box.h"

using namespace tests;
using namespace stage3;

namespace {

/// Runs a coroutine that asks the web.
template <class Ask>
auto ask(box::Web& web, stage3::SessionOptions options, Ask ask) {
    EventLoop loop(web.time().options(1));
    box::Http http(loop, web, std::move(options));
    return stage3::run_until_complete(loop, ask(http));
}

Coroutine<std::string> read_all(box::Http& http, std::string url,
                                stage3::GetOptions options) {
    stage3::Response response = co_await http.get(*common::parse_url(url), options);
    co_return co_await response.read();
}

std::string read(box::Web& web, const std::string& url,
                 stage3::SessionOptions session = {}, stage3::GetOptions options = {}) {
    return ask(web, std::move(session),
               [&](box::Http& http) { return read_all(http, url, options); });
}

/// First a part of the body, and then all of it.
Coroutine<> read_in_two_parts(box::Http& http, const box::Web& web, std::string url) {
    const stage3::GetOptions options;
    stage3::Response response = co_await http.get(*common::parse_url(url), options);
    const std::string_view text = co_await response.beginning(301);
    CHECK(text.size() == 400);
    CHECK(web.time().now() == 4'005ms);
    const std::string all = co_await response.read();
    CHECK(all.size() == 1000);
}

/// How many bytes came of a body that isn't wanted.
Coroutine<std::size_t> skip(box::Http& http, std::string url) {
    stage3::GetOptions options;
    options.wants_body = [](const stage3::ResponseHead&) { return false; };
    stage3::Response response = co_await http.get(*common::parse_url(url), options);
    CHECK_FALSE(response.is_wanted());
    co_return co_await response.skip();
}

Coroutine<std::string> read_ten_bytes(box::Http& http, std::string url) {
    stage3::GetOptions options;
    options.max_body = 10;
    stage3::Response response = co_await http.get(*common::parse_url(url), options);
    co_return co_await response.read_beginning();
}

/// The error with which that ends.
FetchError error_of(box::Web& web, const std::string& url,
                    stage3::SessionOptions session = {}) {
    try {
        read(web, url, std::move(session));
    } catch (const FetchError& error) {
        return error;
    }
    throw std::logic_error("there was no error");
}

} // namespace

TEST_CASE("a crawl in a box takes no real time, and each request has its times") {
    box::ScriptedWeb web;
    box::Server server(web);
    server.on("/", box::page({"/a", "/b"}));
    server.on("/a", box::page({}).after(20s).over(1s));
    server.on("/b", {box::respond(503, "text/html", "", {"Retry-After: 10"}),
                     box::redirect_to("/a")});
    BoxedSetup setup(web);
    setup.settings.workers = 1;
    const Result result = setup.crawl(server.url());
    CHECK(result.records.size() == 3);
    CHECK(result[server.url("/a")].seconds == doctest::Approx(21));
    CHECK(result[server.url("/b")].next_url == server.url("/a"));
    CHECK(result.seconds >= 21);
    CHECK(result.seconds < 33);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 4);
    CHECK(*requests[1].answered - requests[1].begin == 20s);
    CHECK(*requests[1].end - requests[1].begin == 21s);
    CHECK(web.in_flight() == 0);
    CHECK(server.most_at_once() == 1);
}

TEST_CASE("faults are a session's") {
    box::ScriptedWeb web;
    box::Server server(web);
    server.on("/reset", box::fail(box::Fault::reset));
    server.on("/silence", box::fail(box::Fault::silence));
    box::Reply half = box::html("123456").over(10s);
    half.fault = box::Fault::cut;
    server.on("/cut", half);
    half.fault = box::Fault::stuck;
    server.on("/stuck", half);
    server.on("/late", box::html("x").over(40s));
    server.on("/large", box::html(std::string(2000, 'x')));
    auto seconds = [&web, before = box::Time{}]() mutable {
        const auto time = web.time().now() - std::exchange(before, web.time().now());
        return std::chrono::duration<double>(time).count();
    };
    const FetchError nobody = error_of(web, "http://nobody.test/");
    CHECK(nobody.kind == FetchError::Kind::network);
    CHECK_FALSE(nobody.was_sent);
    const FetchError reset = error_of(web, server.url("/reset"));
    CHECK(reset.kind == FetchError::Kind::network);
    CHECK(reset.was_sent);
    server.on("/garbage", box::fail(box::Fault::garbage));
    CHECK(error_of(web, server.url("/garbage")).kind == FetchError::Kind::bad_response);
    seconds();
    const FetchError silence =
        error_of(web, server.url("/silence"), {.fetch_timeout = 7s});
    CHECK(silence.kind == FetchError::Kind::timed_out);
    CHECK(silence.what() == std::string("timed out after 7 s"));
    CHECK(silence.was_sent);
    CHECK(seconds() == doctest::Approx(7));
    const FetchError cut = error_of(web, server.url("/cut"));
    CHECK(cut.kind == FetchError::Kind::network);
    CHECK(cut.bytes == 3);
    CHECK(seconds() == doctest::Approx(10.005));
    const FetchError stuck = error_of(web, server.url("/stuck"), {.stall_timeout = 15s});
    CHECK(stuck.what() == std::string("nothing has come for 15 s"));
    CHECK(stuck.bytes == 3);
    CHECK(seconds() == doctest::Approx(25.005));
    const FetchError late = error_of(web, server.url("/late"));
    CHECK(late.kind == FetchError::Kind::timed_out);
    CHECK(seconds() == doctest::Approx(30));
    const FetchError large = error_of(web, server.url("/large"), {.max_body = 1024});
    CHECK(large.kind == FetchError::Kind::too_large);
    CHECK(large.bytes == 1024);
    CHECK(web.in_flight() == 0);
}

TEST_CASE("a body comes piece by piece, and only if it's wanted") {
    box::ScriptedWeb web;
    box::Server server(web);
    box::Reply slow = box::html(std::string(1000, 'x')).over(10s);
    slow.pieces = 10;
    server.on("/", slow);
    server.on("/long", box::html(std::string(1'000'000, 'x')).over(10s));
    ask(web, {},
        [&](box::Http& http) { return read_in_two_parts(http, web, server.url()); });
    const auto skipped = [&](const std::string& target) {
        return ask(web, {},
                   [&](box::Http& http) { return skip(http, server.url(target)); });
    };
    CHECK(skipped("/") == 100); // after a second
    CHECK(skipped("/long") == 0);
    stage3::GetOptions head;
    head.only_head = true;
    CHECK(read(web, server.url(), {}, head).empty());
    const auto beginning =
        ask(web, {}, [&](box::Http& http) { return read_ten_bytes(http, server.url()); });
    CHECK(beginning.size() == 10);
    CHECK(web.in_flight() == 0);
}

TEST_CASE("a crawl that waits for nothing is an error") {
    box::ScriptedWeb web;
    box::Server server(web);
    BoxedSetup setup(web);
    setup.events.until_ready = []() -> stage3::Coroutine<> {
        const stage3::Future<> never(stage3::running_loop());
        co_await never;
    };
    setup.during = [](EventLoop& loop, auto&) {
        loop.set_exception_handler([](const stage3::Report&) {}); // it would tell of each
    };
    CHECK_THROWS_WITH(setup.crawl(server.url()),
                      "all tasks wait, and nothing will ever happen");
}
