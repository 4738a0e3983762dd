// The crawler with a frontier that is not one of the product's: it needs no more than the
// concept requires.
#include "common/text/join.h"
#include "stage3_queue_crawler/crawler/crawler.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "tests/support/prelude.h"
#include "tests/support/scripted_server.h"
#include "tests/support/url.h"

using common::Url;
using namespace stage3;
using namespace tests;

namespace {

/// What a frontier gets besides its settings: a log for the calls made to it, and an
/// error to throw.
struct Diary {
    std::string text() const { return common::join(log, ", "); }

    std::vector<std::string> log;
    std::string fails_with; ///< thrown when all is done, unless it is empty
};

/// A frontier that is first in, first out, and has no politeness.
class DiaryFrontier {
  public:
    using Visit = stage3::Visit<DiaryFrontier>;
    /// An item with a ticket: what a frontier adds to an item comes back to it.
    struct Item : stage3::Item {
        using stage3::Item::Item;
        std::uint64_t ticket = 0;
    };

    DiaryFrontier(EventLoop& loop, const FrontierSettings& settings,
                  const FrontierHelpers& /*helpers*/, Diary& diary)
        : loop_(loop), max_depth_(settings.max_depth), diary_(diary) {}

    Coroutine<> open(std::vector<Url> roots) {
        for (const Url& root : roots)
            add(root, 0);
        co_return;
    }
    void add_listed(const std::vector<ListedUrl>& listed) {
        for (const ListedUrl& one : listed)
            add(one.url, 0);
    }
    Coroutine<Visit> get_foreign() { co_return co_await get(); }
    Coroutine<Visit> get() {
        Item item = co_await queue_.get();
        item.ticket = ++last_ticket_;
        co_return Visit(*this, std::move(item));
    }
    void began(const Item& item) { note("began", item); }
    void done(const Item& item, const Record& /*record*/, const Found& found) {
        note("done", item);
        if (item.depth < max_depth_)
            for (const Url& link : found.links)
                add(link, item.depth + 1);
        queue_.task_done();
    }
    void put_off(Item item, EventLoop::Duration /*wait*/) {
        note("put off", item);
        queue_.put_nowait(std::move(item));
        queue_.task_done();
    }
    void give_back(const Item& item) {
        if (!loop_.closed())
            note("given back", item);
    }
    void answered(const Item& /*item*/) {}
    void refused(const Item& item, EventLoop::Duration /*wait*/) {
        note("refused", item);
    }
    void busy(const Item& /*item*/, EventLoop::Duration /*wait*/) {}
    void end_host(const std::string& /*host*/, const std::string& /*reason*/) {}
    void hold(const std::string& /*host*/, EventLoop::Duration /*wait*/) {}
    void has_asked(const std::string& /*host*/) {}
    bool was_hasty(const Item& /*item*/) const { return false; }
    Coroutine<> join(stage3::TimeLimit limit) {
        co_await queue_.join(limit);
        if (!diary_.fails_with.empty())
            throw std::runtime_error(diary_.fails_with);
    }
    Coroutine<> close() {
        diary_.log.emplace_back("close");
        co_return;
    }
    std::vector<Record> missing_fragments() const { return {}; }
    FrontierCounts counts() const {
        return {.unfinished = queue_.unfinished(),
                .out = queue_.unfinished() - queue_.size()};
    }

  private:
    void add(const Url& url, std::uint32_t depth) {
        if (!met_.insert(url).second)
            return;
        Item item(url);
        item.depth = depth;
        queue_.put_nowait(std::move(item));
    }
    void note(const std::string& what, const Item& item) {
        diary_.log.push_back(
            fmt::format("{} {} as {}", what, item.url.target(), item.ticket));
    }

    EventLoop& loop_;
    const std::size_t max_depth_;
    Diary& diary_;
    Queue<Item> queue_;
    std::set<Url> met_;
    std::uint64_t last_ticket_ = 0;
};
static_assert(stage3::Frontier<DiaryFrontier>);

/// A crawl by one worker, with a diary.
struct DiaryTest {
    DiaryTest() {
        settings.workers = 1;
        settings.robots.obey = false;
        server.on("/", html("<a href='/a'>x</a><a href='/b'>x</a>"));
        server.on("/a", html("<a href='/c'>x</a>"));
        server.on("/b", html(""));
        server.on("/c", html(""));
    }
    /// The crawl is cancelled as the worker begins `cancelled_at`; never if it is empty.
    Ending crawl(const std::string& cancelled_at = {}) {
        EventLoop loop;
        std::optional<stage3::Task<Ending>> task;
        events.on_start = [&](std::string_view, const stage3::Item& item) {
            if (item.url.target() == cancelled_at)
                loop.call_soon([&] { task->cancel(); });
        };
        const std::vector<Url> roots{tests::url_of(server.url())};
        Crawler<DiaryFrontier> crawler(loop, roots,
                                       stage3::Scope(stage3::Reach::host, roots),
                                       settings, events, {}, diary);
        task = create_task(loop, crawler.crawl());
        const auto ending = stage3::run_until_complete<Ending>(loop, *task);
        progress = crawler.progress();
        return ending;
    }

    ScriptedServer server;
    stage3::CrawlSettings settings;
    stage3::CrawlEvents events;
    Diary diary;
    stage3::Progress progress;
};

} // namespace

TEST_CASE("a crawl works with another frontier, which gets what follows the events") {
    DiaryTest test;
    test.settings.frontier.max_depth = 1;
    CHECK(test.crawl() == Ending::complete);
    CHECK(test.diary.text()
          == "began / as 1, done / as 1, began /a as 2, done /a as 2, "
             "began /b as 3, done /b as 3, close");
    CHECK(test.progress.fetched == 3);
}

TEST_CASE("a frontier is closed before a cancelled worker gives its URL back") {
    DiaryTest test;
    test.server.on("/b", {Hold{}});
    CHECK(test.crawl("/b") == Ending::interrupted);
    CHECK(test.diary.text().ends_with(", began /b as 3, close, given back /b as 3"));
}

TEST_CASE("an exception from a frontier's join ends the crawl") {
    DiaryTest test;
    test.diary.fails_with = "the other machine is gone";
    CHECK_THROWS_WITH_AS(test.crawl(), "the other machine is gone", std::runtime_error);
}
