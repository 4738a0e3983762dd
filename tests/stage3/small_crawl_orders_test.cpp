// Page 13's crawl in every order of its answers.
#include "stage3_queue_crawler/small/crawl.h"
#include "tests/support/every_order.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3::small;
using tests::Numbers;
using tests::Order;

namespace {

struct Site {
    Order& order;
    std::map<std::string, std::string> pages; ///< by path; all others can't be reached
    std::map<std::string, int> times_fetched{};
    int under_way = 0;
};
Site* site_played = nullptr;

} // namespace

/// Instead of small/fetch.cpp: the answer is an event.
Coroutine<common::HttpResponse> stage3::small::fetch(EventLoop& loop, common::Url url) {
    Site& site = *site_played;
    const std::string path(url.target());
    site.order.promise(++site.times_fetched[path] == 1, "each URL is fetched once");
    const auto answered = std::make_shared<Future>(loop);
    site.order.event("the answer for " + path, [answered] { answered->set_result(); });
    ++site.under_way;
    co_await *answered;
    --site.under_way;
    common::HttpResponse response;
    response.status = 200;
    response.headers = {{"Content-Type", "text/html"}};
    if (site.pages.contains(path))
        response.body = site.pages.at(path);
    else
        response.error = "no connection";
    co_return response;
}

namespace {

const std::map<std::string, std::string> five_pages{
    {"/", "<a href=/a>a</a><a href=/b>b</a>"},
    {"/a", "<a href=/>x</a><a href=/b>x</a><a href=/c>x</a>"},
    {"/b", "<a href=/c>x</a><a href=/a>x</a><a href=/d>x</a>"},
    {"/c", ""},
};

void play_crawl(Order& order, const Numbers& numbers) {
    Site site{order, five_pages};
    site_played = &site;
    EventLoop loop;
    Crawl crawl(loop);
    Task task(loop, crawl.run(tests::url_of("http://a.example/"),
                              static_cast<std::size_t>(numbers[0])));
    order.run(loop);
    order.promise(task.done(), "the crawl ends");
    task.throw_if_failed();
    order.promise(site.under_way == 0, "no fetch is left behind");
    order.promise(crawl.seen().size() == 5 && site.times_fetched.size() == 5,
                  "all URLs are fetched");
    order.promise(crawl.failed().size() == 1, "what fails is noted");
}

const tests::OrderPrograms crawls{
    .title = "Page 13's crawl of five URLs, whose answers come when they like.",
    .things = {{"worker", "workers", 1, 3}},
    .play = play_crawl,
};

TEST_CASE("page 13's crawl in every order") { tests::check_every_order(crawls, 90); }

} // namespace
