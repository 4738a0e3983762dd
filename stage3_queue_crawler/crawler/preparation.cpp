#include "stage3_queue_crawler/crawler/preparation.h"

#include "stage3_queue_crawler/crawler/root_folders.h"

#include <algorithm>
#include <utility>

namespace stage3 {

using common::Url;

Coroutine<> Preparation::find_out(std::vector<Url> roots) {
    if (tools_.scope.reach() == Reach::prefix) {
        RootFolders folders(tools_.pages, tools_.leave, tools_.pauses,
                            tools_.settings.workers);
        const std::vector<Url> places = co_await folders.find(roots);
        tools_.scope.begin_in_folders_of(places);
    }
    if (reads_sitemaps())
        co_await sitemaps_.read(std::move(roots));
}

Coroutine<TimeLimit> Preparation::run(std::vector<Url> roots) {
    TimeLimit limit = tools_.settings.timeout;
    if (tools_.scope.reach() != Reach::prefix && !reads_sitemaps())
        co_return limit;
    const EventLoop::TimePoint begun = tools_.loop.time();
    if (!limit) {
        co_await find_out(std::move(roots));
        co_return limit;
    }
    co_await wait_for(find_out(std::move(roots)), *limit);
    co_return std::max(*limit - (tools_.loop.time() - begun),
                       EventLoop::Duration::zero());
}

} // namespace stage3
