// Page 17's crawler in every order of its answers, and with Ctrl-C at every moment.
#include "stage3_queue_crawler/small/crawler.h"
#include "tests/support/every_order.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3::small;
using tests::Order;

namespace {

Loop::Clock::time_point now_played;

} // namespace

// Instead of the library's: time passes when an order says so.
// NOLINTNEXTLINE(cert-dcl58-cpp)
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    return now_played;
}

namespace {

/// A site, a crawl of it, and what both did.
struct Crawling {
    std::map<std::string, std::string> pages; ///< bodies, by path; all others: 404
    std::string busy = {};                    ///< says 503 at first
    std::size_t workers = 2;

    struct State {
        const Crawling& crawling;
        Order& order;
        const Session* session = nullptr;
        std::map<std::string, int> times_asked{};
        int waiting_for_retry = 0;
        bool was_asked = false;
        bool is_cancelled = false;

        void serve(const common::Url& url, const std::shared_ptr<Future>& is_complete,
                   common::HttpResponse& response) {
            order.promise(session->under_way() <= static_cast<int>(crawling.workers),
                          "no more fetches than workers");
            const std::string path(url.target());
            const int times = ++times_asked[path];
            const bool is_busy = path == crawling.busy && times == 1;
            if (path == crawling.busy && times == 2)
                --waiting_for_retry;
            order.promise(times <= (path == crawling.busy ? 2 : 1),
                          "no URL is fetched too often");
            const auto page = crawling.pages.find(path);
            const bool exists = page != crawling.pages.end();
            response.status = exists ? 200 : 404;
            if (is_busy)
                response.status = 503;
            response.headers = {{"Content-Type", "text/html"}};
            if (exists && !is_busy)
                response.body = page->second;
            order.event("the answer for " + path, [this, is_complete, is_busy] {
                waiting_for_retry += is_busy && !is_complete->done() ? 1 : 0;
                is_complete->set_result();
            });
        }
    };

    static Coroutine<> watch(State& state, Crawler& crawler) {
        try {
            co_await crawler.run();
        } catch (const Cancelled&) {
            state.is_cancelled = true;
        }
    }

    void play(Order& order, bool is_interrupted) const {
        now_played = {};
        State state{*this, order};
        Loop loop;
        Session session(
            loop, [&state](const auto& url, const auto& is_complete, auto& response) {
                state.serve(url, is_complete, response);
            });
        state.session = &session;
        Crawler crawler(loop, session, tests::url_of("http://a.example/"),
                        {.workers = workers});
        Task task(loop, watch(state, crawler));
        if (is_interrupted)
            order.event("Ctrl-C", [&] {
                state.was_asked = task.cancel();
                state.waiting_for_retry = 0;
            });
        order.timers([&] { return state.waiting_for_retry > 0 && !state.was_asked; },
                     [] { now_played += 1s; });
        order.run(loop);

        order.promise(task.done(), "the crawl ends");
        task.throw_if_failed();
        order.promise(session.under_way() == 0, "no fetch is left behind");
        order.promise(state.is_cancelled == state.was_asked,
                      "a request to end isn't lost");
        if (state.was_asked)
            return;
        std::set<std::string> paths{"/gone"};
        for (const auto& [path, body] : pages)
            paths.insert(path);
        order.promise(crawler.found_on().size() == paths.size(), "all is found");
        order.promise(crawler.records().size() == paths.size(), "each URL has a record");
        for (const auto& [url, record] : crawler.records())
            order.promise(crawler.why_dead(url).empty() == (url.target() != "/gone"),
                          "what is dead is told, and nothing else");
    }
};

void check(const Crawling& crawling, std::size_t at_least) {
    tests::check_every_order(
        {.title = "Page 17's crawler: answers come when they like, and Ctrl-C, too.",
         .things = {{"Ctrl-C", "Ctrl-Cs", 0, 1}},
         .play =
             [&crawling](Order& order, const tests::Numbers& numbers) {
                 crawling.play(order, numbers[0] > 0);
             }},
        at_least, {.orders = 2000, .by_chance = 300});
}

TEST_CASE("page 17's crawler in every order") {
    check({.pages = {{"/", "<a href=/a>x</a><a href=/gone>x</a>"}, {"/a", ""}},
           .workers = 1},
          10);
    check({.pages = {{"/", "<a href=/a>x</a><a href=/gone>x</a>"},
                     {"/a", "<a href=/>x</a><a href=/b>x</a>"},
                     {"/b", "<a href=/gone>x</a>"}}},
          400);
    check({.pages = {{"/", "<a href=/a>x</a><a href=/gone>x</a>"}, {"/a", ""}},
           .busy = "/a"},
          1500);
    check({.pages = {{"/", "<a href=/a>x</a><a href=/b>x</a><a href=/gone>x</a>"},
                     {"/a", "<a href=/c>x</a>"},
                     {"/b", "<a href=/a>x</a>"},
                     {"/c", ""}},
           .busy = "/b",
           .workers = 3},
          4000);
}

} // namespace
