// What every frontier promises. frontier_test.cpp runs each case with the frontier in
// memory, in virtual time, and redis_frontier_test.cpp with the one in Redis.
//
// A `Test` is made of settings. It has `open(roots)`, `frontier()`, `get()`, which waits
// for a visit, `has_one()`, which doesn't wait for long, and `ends()`, which waits for
// the end of the crawl and throws if it doesn't come. After that, `known(url)` is what
// the crawl knows of a URL.
#pragma once

#include "common/web/malformed_url.h"
#include "stage3_queue_crawler/crawler/frontier_settings.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/record.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/visit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/future.h"
#include "tests/support/url.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

inline stage3::RobotsSource::Answer answer(std::string_view robots) {
    return std::make_shared<const stage3::RobotsAnswer>(
        stage3::RobotsAnswer{.rules = stage3::Robots::parse(robots, "me"),
                             .reason = "disallowed by robots.txt"});
}

inline std::vector<common::Url> urls_of(const std::vector<std::string>& texts) {
    std::vector<common::Url> urls;
    for (const std::string& text : texts)
        urls.push_back(url_of(text));
    return urls;
}

/// A robots.txt for each origin, which arrives when the test says so.
class RobotsOnDemand : public stage3::RobotsSource {
  public:
    explicit RobotsOnDemand(stage3::EventLoop& loop) : loop_(loop) {}

    stage3::Future<Answer> ask(const common::Url& url) override {
        const std::string origin(url.origin());
        ++asked[origin];
        return robots.try_emplace(origin, loop_).first->second;
    }
    void cancel_all() override { ++times_cancelled; }

    std::map<std::string, stage3::Future<Answer>> robots;
    int times_cancelled = 0;
    std::map<std::string, int> asked;

  private:
    stage3::EventLoop& loop_;
};

/// Ends a visit whose page had these links. Returns how many of them were new, if that is
/// known already.
template <class Visit>
std::size_t done(Visit visit, const std::vector<std::string>& links = {},
                 stage3::Outcome outcome = stage3::Outcome::page) {
    stage3::Record record(visit.item().url);
    record.outcome = outcome;
    record.status = outcome == stage3::Outcome::page ? 200 : 404;
    record.tries = visit.item().tries;
    stage3::Found found;
    found.links = urls_of(links);
    record.links = links.size();
    visit.done(record, found);
    return record.new_links;
}

} // namespace tests

TEST_CASE_TEMPLATE_DEFINE("each URL comes out once, and join ends when all are done",
                          Test, frontier_gives_once) {
    Test test;
    test.open({"http://h/", "http://h/"});
    auto root = test.get();
    CHECK(root.item().is_root);
    CHECK(root.item().tries == 1);
    CHECK(test.frontier().counts().out == 1);
    tests::done(std::move(root), {"http://h/a", "http://h/b", "http://h/"});
    auto a = test.get();
    CHECK(a.item().url == tests::url_of("http://h/a"));
    CHECK(a.item().depth == 1);
    CHECK_FALSE(a.item().is_root);
    tests::done(std::move(a), {"http://h/b"});
    tests::done(test.get());
    test.ends();
    CHECK_FALSE(test.frontier().counts().has_left_some);
    CHECK(test.known("http://h/b").times_met == 2);
    CHECK(test.known("http://h/b").state == stage3::KnownUrl::State::fetched);
}

TEST_CASE_TEMPLATE_DEFINE(
    "a visit that is dropped comes back before all others and doesn't count as a try",
    Test, frontier_takes_back) {
    Test test;
    test.open({"http://h/1", "http://h/2"});
    {
        const auto dropped = test.get();
    }
    const auto again = test.get();
    CHECK(again.item().url == tests::url_of("http://h/1"));
    CHECK(again.item().tries == 1);
}

TEST_CASE_TEMPLATE_DEFINE("a visit that is put off comes back at its time", Test,
                          frontier_puts_off) {
    using namespace std::chrono_literals;
    Test test;
    test.open({"http://h/1", "http://h/2"});
    const auto begin = test.loop.time();
    test.get().put_off(200ms);
    auto second = test.get();
    CHECK(second.item().url == tests::url_of("http://h/2"));
    auto first = test.get();
    CHECK(test.loop.time() - begin >= 200ms);
    CHECK(first.item().url == tests::url_of("http://h/1"));
    CHECK(first.item().tries == 2);
    first.put_off_untried(0ms);
    auto again = test.get();
    CHECK(again.item().tries == 2);
    tests::done(std::move(second));
    CHECK(test.frontier().counts().unfinished > 0);
    tests::done(std::move(again));
    test.ends();
}

TEST_CASE_TEMPLATE_DEFINE(
    "links beyond the depth are recorded, but come out only if they are met nearer", Test,
    frontier_keeps_depth) {
    Test test({.max_depth = 1});
    test.open({"http://h/", "http://h/near"});
    tests::done(test.get(), {"http://h/1"});
    auto near = test.get();
    tests::done(test.get(), {"http://h/2", "http://h/3"});
    CHECK_FALSE(test.has_one());
    tests::done(std::move(near), {"http://h/2"});
    auto nearer = test.get();
    CHECK(nearer.item().url == tests::url_of("http://h/2"));
    CHECK(nearer.item().depth == 1);
    tests::done(std::move(nearer));
    test.ends();
    CHECK(test.known("http://h/3").state == stage3::KnownUrl::State::met);
    CHECK(test.known("http://h/3").times_met == 1);
}

TEST_CASE_TEMPLATE_DEFINE("a redirect's target has the same depth and one redirect fewer",
                          Test, frontier_follows_redirects) {
    Test test({.max_depth = 0, .max_redirects = 5});
    test.open({"http://h/from"});
    auto from = test.get();
    stage3::Record record(from.item().url);
    record.outcome = stage3::Outcome::redirect;
    from.done(record, {.links = {}, .redirect = tests::url_of("http://h/to")});
    auto to = test.get();
    CHECK(to.item().url == tests::url_of("http://h/to"));
    CHECK(to.item().depth == 0);
    CHECK(to.item().redirects_left == 4);
    CHECK_FALSE(to.item().is_root);
    tests::done(std::move(to));
    test.ends();
    CHECK(test.known("http://h/to").times_met == 0);
}

TEST_CASE_TEMPLATE_DEFINE("max_pages URLs come out, and no more", Test,
                          frontier_counts_pages) {
    Test test({.max_pages = 2});
    test.open({"http://h/1", "http://h/2", "http://h/3"});
    auto first = test.get();
    auto second = test.get();
    CHECK_FALSE(test.has_one());
    tests::done(std::move(first));
    CHECK_FALSE(test.has_one());
    tests::done(std::move(second), {"http://h/4"});
    test.ends();
    CHECK(test.frontier().counts().has_left_some);
}

TEST_CASE_TEMPLATE_DEFINE("a pause is counted from the request", Test, frontier_pauses) {
    using namespace std::chrono_literals;
    Test test({.politeness = {.delay = 150ms}});
    test.open({"http://h/a", "http://h/b", "http://other/"});
    auto a = test.get();
    CHECK(a.item().url == tests::url_of("http://h/a"));
    const auto other = test.get();
    CHECK(other.item().url == tests::url_of("http://other/"));
    CHECK_FALSE(test.has_one()); // the visit has not begun
    a.on_request()();
    const auto begin = test.loop.time();
    const auto b = test.get();
    CHECK(test.loop.time() - begin >= 150ms);
}

TEST_CASE_TEMPLATE_DEFINE("a host gets no more visits at once than allowed", Test,
                          frontier_keeps_number) {
    Test test({.politeness = {.max_per_host = 2}});
    test.open({"http://h/1", "http://h/2", "http://h/3", "http://other/"});
    auto one = test.get();
    auto two = test.get();
    auto three = test.get();
    CHECK_FALSE(test.has_one());
    auto& some = one.item().url.host() == "h" ? one : two;
    CHECK(some.item().url.host() == "h");
    tests::done(std::move(some));
    CHECK(test.get().item().url.host() == "h");
}

TEST_CASE_TEMPLATE_DEFINE("a host that is held lets no URL out, while other hosts do",
                          Test, frontier_holds) {
    using namespace std::chrono_literals;
    Test test;
    test.open({"http://h/a", "http://other/"});
    const auto begin = test.loop.time();
    test.frontier().hold("h:80", 3s);
    CHECK(test.is_held());
    auto other = test.get();
    CHECK(other.item().url == tests::url_of("http://other/"));
    tests::done(std::move(other));
    CHECK(test.get().item().url == tests::url_of("http://h/a"));
    CHECK(test.loop.time() - begin >= 3s);
}

TEST_CASE_TEMPLATE_DEFINE(
    "if the order is shortest first, only URLs that come back go before shorter ones",
    Test, frontier_keeps_order) {
    Test test({.order = stage3::OrderName::priority});
    test.open({"http://h/ccc", "http://h/a", "http://h/bb", "http://h/c"});
    auto a = test.get();
    CHECK(a.item().url == tests::url_of("http://h/a"));
    CHECK(test.get().item().url == tests::url_of("http://h/c"));
    auto c = test.get(); // which has come back
    CHECK(c.item().url == tests::url_of("http://h/c"));
    auto bb = test.get();
    CHECK(bb.item().url == tests::url_of("http://h/bb"));
    tests::done(std::move(a), {"http://h/d"});
    {
        const auto dropped = std::move(bb);
    }
    CHECK(test.get().item().url == tests::url_of("http://h/bb"));
}

TEST_CASE_TEMPLATE_DEFINE("a check waits until nothing is left to follow", Test,
                          frontier_checks_last) {
    Test test;
    test.open({"http://h/", "http://h/1"});
    auto root = test.get();
    stage3::Record record(root.item().url);
    record.outcome = stage3::Outcome::page;
    stage3::Found found;
    found.references.push_back({.url = tests::url_of("http://h/a.png"),
                                .role = common::LinkRole::image,
                                .purpose = stage3::Purpose::check});
    root.done(record, found);
    auto page = test.get();
    CHECK_FALSE(test.has_one());
    tests::done(std::move(page));
    auto check = test.get();
    CHECK(check.item().url == tests::url_of("http://h/a.png"));
    CHECK(check.item().purpose == stage3::Purpose::check);
    CHECK(check.item().depth == 0); // it belongs to its page
    tests::done(std::move(check));
    test.ends();
    CHECK(test.known("http://h/a.png").role == common::LinkRole::image);
}

TEST_CASE_TEMPLATE_DEFINE("what isn't a URL comes out once, refused", Test,
                          frontier_refuses_malformed) {
    Test test;
    test.open({"http://h/"});
    auto root = test.get();
    stage3::Record record(root.item().url);
    record.outcome = stage3::Outcome::page;
    const common::Url malformed = *common::malformed_url("http://a b/");
    stage3::Found found;
    for (int i = 0; i < 2; ++i)
        found.references.push_back({.url = malformed,
                                    .role = common::LinkRole::hyperlink,
                                    .purpose = stage3::Purpose::check});
    root.done(record, found);
    auto visit = test.get();
    CHECK(visit.item().url == malformed);
    CHECK(visit.item().refusal);
    CHECK(visit.item().depth == 1);
    tests::done(std::move(visit), {}, stage3::Outcome::failed);
    test.ends();
    CHECK(test.known("http://a b/").state == stage3::KnownUrl::State::dead);
}

/// Each case, with this kind of frontier.
#define FRONTIER_CONTRACT(Test)                                                          \
    TEST_CASE_TEMPLATE_INVOKE(frontier_gives_once, Test);                                \
    TEST_CASE_TEMPLATE_INVOKE(frontier_takes_back, Test);                                \
    TEST_CASE_TEMPLATE_INVOKE(frontier_puts_off, Test);                                  \
    TEST_CASE_TEMPLATE_INVOKE(frontier_keeps_depth, Test);                               \
    TEST_CASE_TEMPLATE_INVOKE(frontier_follows_redirects, Test);                         \
    TEST_CASE_TEMPLATE_INVOKE(frontier_counts_pages, Test);                              \
    TEST_CASE_TEMPLATE_INVOKE(frontier_pauses, Test);                                    \
    TEST_CASE_TEMPLATE_INVOKE(frontier_keeps_number, Test);                              \
    TEST_CASE_TEMPLATE_INVOKE(frontier_holds, Test);                                     \
    TEST_CASE_TEMPLATE_INVOKE(frontier_keeps_order, Test);                               \
    TEST_CASE_TEMPLATE_INVOKE(frontier_checks_last, Test);                               \
    TEST_CASE_TEMPLATE_INVOKE(frontier_refuses_malformed, Test)
