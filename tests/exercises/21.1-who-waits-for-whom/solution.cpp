// A folder that can't be read is done, too, and no worker waits for room that only a
// worker could make.
#include "exercise.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <stdexcept>

using stage3::Coroutine;
using stage3::Queue;
using stage3::TaskGroup;

namespace {

constexpr int workers = 4;

struct Search {
    List list;
    Queue<std::string> folders; // no limit: the workers both fill and empty it
    Found found;
};

Coroutine<> work(Search& search) {
    while (true) {
        const std::string path = co_await search.folders.get();
        Folder folder;
        try {
            folder = co_await search.list(path);
        } catch (const std::runtime_error&) {
            search.found.unreadable.push_back(path);
            search.folders.task_done();
            continue;
        }
        for (const std::string& file : folder.files)
            search.found.files.push_back(path + "/" + file);
        for (const std::string& name : folder.folders)
            co_await search.folders.put(path + "/" + name);
        search.folders.task_done();
    }
}

Coroutine<> search_all(TaskGroup& group, Search& search) {
    for (int i = 1; i <= workers; ++i)
        group.start(work(search), "worker " + std::to_string(i));
    co_await search.folders.put("");
    co_await search.folders.join();
    group.cancel();
}

} // namespace

Coroutine<Found> find_files(List list) {
    Search search;
    search.list = std::move(list);
    TaskGroup group;
    co_await group.run(search_all(group, search));
    co_return search.found;
}
