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

TEST_CASE_FIXTURE(SiteInBox, "faults are a session's, and come at their times") {
    using Kind = FetchError::Kind;
    server.on("/reset", box::fail(box::Fault::reset));
    server.on("/garbage", box::fail(box::Fault::garbage));
    server.on("/silence", box::fail(box::Fault::silence));
    box::Reply half = box::html("123456").over(10s);
    half.fault = box::Fault::cut;
    server.on("/cut", half);
    half.fault = box::Fault::stuck;
    server.on("/stuck", half);
    server.on("/late", box::html("x").over(40s));
    server.on("/large", box::html(std::string(2000, 'x')));
    struct Row {
        std::string url;
        Kind kind;
        std::size_t bytes;
        double seconds;
        stage3::SessionOptions session = {};
    };
    for (const Row& row :
         {Row{server.url("/reset"), Kind::network, 0, 0.005},
          {server.url("/garbage"), Kind::bad_response, 0, 0.005},
          {server.url("/silence"), Kind::timed_out, 0, 7, {.fetch_timeout = 7s}},
          {server.url("/cut"), Kind::network, 3, 10.005},
          {server.url("/stuck"), Kind::timed_out, 3, 25.005, {.stall_timeout = 15s}},
          {server.url("/late"), Kind::timed_out, 0, 30},
          {server.url("/large"), Kind::too_large, 1024, 0.005, {.max_body = 1024}}}) {
        CAPTURE(row.url);
        const box::Time before = web.time().now();
        const FetchError error = error_of(web, row.url, row.session);
        CHECK(error.kind == row.kind);
        CHECK(error.was_sent);
        CHECK(error.bytes == row.bytes);
        CHECK(std::chrono::duration<double>(web.time().now() - before).count()
              == doctest::Approx(row.seconds));
    }
    const FetchError nobody = error_of(web, "http://nobody.test/");
    CHECK(nobody.kind == Kind::network);
    CHECK_FALSE(nobody.was_sent);
    CHECK(web.in_flight() == 0);
}

TEST_CASE_FIXTURE(SiteInBox, "a body comes piece by piece, and only if it's wanted") {
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

TEST_CASE_FIXTURE(SiteInBox, "a crawl that waits for nothing is an error") {
    setup.events.until_ready = []() -> stage3::Coroutine<> {
        const stage3::Future<> never(stage3::running_loop());
        co_await never;
    };
    setup.during = [](EventLoop& loop, auto&) {
        loop.set_exception_handler([](const stage3::Report&) {}); // it would tell of each
    };
    CHECK_THROWS_WITH(crawl(), "all tasks wait, and nothing will ever happen");
}
