#include "questions.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/run.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using stage3::Coroutine;
using stage3::Queue;
using stage3::Task;

/// A site. A page's name is a letter, and a page leads to the pages in its text.
const std::map<char, std::string> pages{
    {'a', "bc"}, {'b', "d"}, {'c', ""}, {'d', ""}, {'x', ""}};

struct Options {
    std::string roots = "a";
    std::size_t workers = 1;
    bool done_first = false; // is task_done called before learn?
    char slow = ' ';         // this page takes as long as twenty others
};

struct Crawl {
    explicit Crawl(Options chosen) : options(std::move(chosen)) {}

    const Options options;
    Queue<char> queue;
    std::set<char> known;
    int fetched = 0;

    void learn(const std::string& links) {
        for (const char link : links)
            if (known.insert(link).second)
                queue.put_nowait(link);
    }
};

Coroutine<> work(Crawl& crawl) {
    while (true) {
        const char page = co_await crawl.queue.get();
        for (int turn = 0; turn < (page == crawl.options.slow ? 40 : 2); ++turn)
            co_await stage3::next_turn();
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

Coroutine<> run(Crawl& crawl) {
    crawl.learn(crawl.options.roots);
    std::vector<Task<>> workers;
    for (std::size_t i = 0; i < crawl.options.workers; ++i)
        workers.push_back(stage3::create_task(work(crawl)));
    co_await crawl.queue.join();
    for (Task<>& worker : workers)
        worker.cancel();
    for (Task<>& worker : workers) {
        try {
            co_await worker;
        } catch (const stage3::Cancelled&) { // as it was asked to
        }
    }
}

int fetched_by(Options options) {
    Crawl crawl(std::move(options));
    stage3::run(run(crawl));
    return crawl.fetched;
}

} // namespace

Answers run_program() {
    Crawl early({.done_first = true});
    stage3::run(run(early));
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
