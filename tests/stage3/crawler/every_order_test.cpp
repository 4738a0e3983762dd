// The real crawler in every order of its answers, and with Ctrl-C at every moment.
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/stage3/crawler/crawl_in_box.h"
#include "tests/support/every_order.h"

using namespace stage3;
using namespace tests;

namespace {

/// A web in a box whose answers come when the order says so.
class OrderedHttp final : public stage3::Http {
  public:
    OrderedHttp(EventLoop& loop, box::Web& web, SessionOptions options, Order& order)
        : loop_(loop), http_(loop, web, std::move(options)), order_(order) {}

    Coroutine<stage3::Response> get(common::Url url, GetOptions options) override {
        const Future<> answered(loop_);
        order_.event(fmt::format("the answer for {}", url.target()),
                     [answered] { answered.set_result_unless_done(); });
        co_await answered;
        stage3::Response response =
            co_await http_.get(std::move(url), std::move(options));
        co_return response;
    }
    bool is_busy() const override { return http_.is_busy(); }

  private:
    EventLoop& loop_;
    box::Http http_;
    Order& order_;
};

struct Crawling {
    std::map<std::string, std::vector<box::Reply>> site; ///< by target
    std::size_t workers = 2;
    bool obeys_robots = false;
    std::size_t urls = 0; ///< that have a record if it is complete

    void play(Order& order, bool is_interrupted) const {
        box::ScriptedWeb web;
        box::Server server(web);
        for (const auto& [target, replies] : site)
            server.on(target, replies);
        EventLoop loop(web.time().options(1));
        std::string reports;
        loop.set_exception_handler(
            [&](const Report& report) { reports += report.message; });
        order.timers([&] { return loop.until_next_timer().has_value(); },
                     [&] {
                         web.time().pass(
                             std::chrono::ceil<box::Time>(*loop.until_next_timer()));
                     });

        CrawlSettings settings;
        settings.workers = workers;
        settings.robots.obey = obeys_robots;
        stage3::CrawlHelpers helpers;
        helpers.open_http = [&](EventLoop& l, const SessionOptions& options) {
            return std::make_unique<OrderedHttp>(l, web, options, order);
        };
        std::map<std::string, int> records;
        CrawlEvents events;
        events.on_record = [&](const Record& record, const auto&) {
            order.promise(++records[std::string(record.url.target())] == 1,
                          "no URL has two records");
        };
        const std::vector<common::Url> roots{*common::parse_url(server.url())};
        Crawler<> crawler(loop, roots, Scope(Reach::host, roots), settings, events,
                          helpers);
        Task<Ending> task = create_task(loop, crawler.crawl(), "crawl");
        bool was_asked = false;
        if (is_interrupted)
            order.event("Ctrl-C", [&] { was_asked = task.cancel(); });
        struct AtEnd {
            EventLoop& loop;
            explicit AtEnd(EventLoop& l) : loop(l) {}
            AtEnd(const AtEnd&) = delete;
            AtEnd& operator=(const AtEnd&) = delete;
            ~AtEnd() {
                loop.set_exception_handler([](const Report&) {});
                loop.close();
            }
        };
        const AtEnd at_end(loop);
        order.run(loop);

        order.promise(task.done(), "the crawl ends");
        order.promise(web.in_flight() == 0, "no fetch is left behind");
        order.promise(reports.empty(), "nothing is reported");
        order.promise(crawler.frontier().counts().out == 0,
                      "each visit is done, put off or given back");
        if (task.cancelled()) // before its first step
            order.promise(was_asked && records.empty(), "nothing was begun");
        else if (!was_asked)
            order.promise(task.result() == Ending::complete, "it is complete");
        if (!task.cancelled() && task.result() == Ending::complete)
            order.promise(records.size() == urls, "each URL has a record");
    }
};

void check_both(const std::string& title, const Crawling& crawling,
                std::size_t at_least) {
    check_every_order({.title = title,
                       .things = {{"Ctrl-C", "Ctrl-Cs", 0, 1}},
                       .play =
                           [&crawling](Order& order, const Numbers& numbers) {
                               crawling.play(order, numbers[0] > 0);
                           }},
                      at_least, {.orders = 2000, .by_chance = 500});
}

TEST_CASE("a crawl with a redirect, in every order") {
    check_both("A page, a redirect, and two workers.",
               {.site = {{"/", {box::page({"/a", "/b"})}},
                         {"/a", {box::page({"/", "/c"})}},
                         {"/b", {box::redirect_to("/c")}}},
                .urls = 4},
               1500);
}

TEST_CASE("a crawl with a busy server, in every order") {
    check_both("A server that is busy at first.",
               {.site = {{"/", {box::page({"/a"})}},
                         {"/a", {box::respond(503, "text/html", ""), box::page({})}}},
                .urls = 2},
               50);
}

TEST_CASE("a crawl that obeys robots.txt, in every order") {
    check_both("A page that robots.txt forbids.",
               {.site = {{"/robots.txt", {box::robots("User-agent: *\nDisallow: /b\n")}},
                         {"/", {box::page({"/a", "/b"})}},
                         {"/a", {box::page({})}}},
                .obeys_robots = true,
                .urls = 3},
               50);
}

TEST_CASE("a crawl with three workers, a circle and a busy server, in many orders") {
    check_both("Six URLs, a circle of redirects, a busy server, and three workers.",
               {.site = {{"/", {box::page({"/a", "/b", "/c"})}},
                         {"/a", {box::respond(503, "text/html", ""), box::page({"/d"})}},
                         {"/b", {box::redirect_to("/d")}},
                         {"/c", {box::page({"/e"})}},
                         {"/d", {box::redirect_to("/b")}}},
                .workers = 3,
                .urls = 6},
               4000);
}

} // namespace
