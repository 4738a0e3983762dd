// It worked in rounds: start as many fetches as allowed, wait for all of them, then
// start the next round. A round takes as long as its slowest page, and the places of
// faster pages stay idle. Smaller rounds don't help, nor does waiting only for the oldest
// page: some place always waits for a page that isn't its own.
//
// With a queue, no worker waits for another: each takes the next page as soon as it has
// finished one.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <stdexcept>

using stage3::Coroutine;
using stage3::Queue;
using stage3::TaskGroup;

namespace {

using Links = std::vector<std::string>;

/// No page, no links.
Coroutine<Links> links_of(const Fetch& fetch, std::string page) {
    try {
        co_return co_await fetch(page);
    } catch (const std::runtime_error&) {
        co_return Links{};
    }
}

Coroutine<> work(const Fetch& fetch, Queue<std::string>& to_do,
                 std::set<std::string>& met) {
    while (true) {
        const std::string page = co_await to_do.get();
        const Links links = co_await links_of(fetch, page);
        for (const std::string& link : links)
            if (met.insert(link).second)
                to_do.put_nowait(link);
        to_do.task_done();
    }
}

Coroutine<> crawl_in(TaskGroup& group, const Fetch& fetch, std::size_t limit,
                     Queue<std::string>& to_do, std::set<std::string>& met) {
    for (std::size_t i = 0; i < limit; ++i)
        group.start(work(fetch, to_do, met));
    co_await to_do.join();
    group.cancel(); // they wait for more
}

} // namespace

Coroutine<std::set<std::string>> crawl(Fetch fetch, std::string root, std::size_t limit) {
    std::set<std::string> met = {root};
    Queue<std::string> to_do;
    to_do.put_nowait(root);
    TaskGroup group;
    co_await group.run(crawl_in(group, fetch, limit, to_do, met));
    co_return met;
}
