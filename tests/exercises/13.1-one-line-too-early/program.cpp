#include "questions.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/task.h"

#include <cstddef>
#include <list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace {

using stage3::small::Cancelled;
using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Future;
using stage3::small::Queue;
using stage3::small::Runnable;
using stage3::small::Task;

/// A site. A page's name is a letter, and a page leads to the pages in its text.
const std::map<char, std::string> pages{
    {'a', "bc"}, {'b', "d"}, {'c', ""}, {'d', ""}, {'x', ""}};

struct Options {
    std::string roots = "a";
    std::size_t workers = 1;
    bool done_first = false; // is task_done called before learn?
    char slow = ' ';         // this page takes as long as twenty others
};

/// A fetch, which only takes some turns.
class Fetch : public Future, private Runnable {
  public:
    Fetch(EventLoop& loop, int turns) : Future(loop), loop_(loop), turns_(turns) {
        loop.make_ready(*this);
    }

  private:
    void run() override {
        if (--turns_ > 0)
            loop_.make_ready(*this);
        else
            set_result();
    }

    EventLoop& loop_;
    int turns_;
};

struct Crawl {
    explicit Crawl(Options chosen) : options(std::move(chosen)) {}

    const Options options;
    EventLoop loop;
    Queue<char> queue{loop};
    std::list<Fetch> fetches; // the loop may hold one whose worker is gone
    std::set<char> known;
    int fetched = 0;

    void learn(const std::string& links) {
        for (const char link : links)
            if (known.insert(link).second)
                queue.put(link);
    }
};

Coroutine<> work(Crawl& crawl) {
    while (true) {
        const char page = co_await crawl.queue.get();
        const int turns = page == crawl.options.slow ? 40 : 2;
        co_await crawl.fetches.emplace_back(crawl.loop, turns);
        ++crawl.fetched;
        if (crawl.options.done_first) {
            crawl.queue.task_done();
            crawl.learn(pages.at(page));
        } else {
            crawl.learn(pages.at(page));
            crawl.queue.task_done();
        }
    }
}

/// Waits until a cancelled task has ended.
Coroutine<> end_of(Task& task) {
    try {
        co_await task;
    } catch (const Cancelled&) {
        co_return; // as it was asked to
    }
}

Coroutine<> run(Crawl& crawl) {
    crawl.learn(crawl.options.roots);
    std::list<Task> workers;
    for (std::size_t i = 0; i < crawl.options.workers; ++i)
        workers.emplace_back(crawl.loop, work(crawl));
    co_await crawl.queue.join();
    for (Task& worker : workers)
        worker.cancel();
    for (Task& worker : workers)
        co_await end_of(worker);
}

void run_to_its_end(Crawl& crawl) {
    Task main(crawl.loop, run(crawl));
    run_until_complete(crawl.loop, main);
}

int fetched_by(Options options) {
    Crawl crawl(std::move(options));
    run_to_its_end(crawl);
    return crawl.fetched;
}

} // namespace

Answers run_program() {
    Crawl early({.done_first = true});
    run_to_its_end(early);
    return {
        .in_order = fetched_by({}),
        .too_early = early.fetched,
        .known = static_cast<int>(early.known.size()),
        .ten_workers = fetched_by({.workers = 10, .done_first = true}),
        .slow_root =
            fetched_by({.roots = "ax", .workers = 2, .done_first = true, .slow = 'a'}),
        .slow_leaf =
            fetched_by({.roots = "ax", .workers = 2, .done_first = true, .slow = 'x'}),
    };
}
