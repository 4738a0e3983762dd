#include "common/small/crawl.h"
#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/sync/queue.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"
#include "tests/crawl/worker_crawl.h"

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tests {
namespace {

using stage3::Coroutine;
using stage3::TaskGroup;

// [fetch]
Coroutine<std::string> fetch(common::Address site, common::Url url) {
    common::Socket socket = co_await stage3::connect(site);
    stage3::Stream stream(stage3::running_loop(), std::move(socket));
    stream.write(common::http_get_request(url.authority(), url.target()));
    std::string response;
    while (!stream.at_end())
        response += co_await stream.read_some(16 * 1024);
    co_return response;
}
// [/fetch]

class Crawl {
  public:
    explicit Crawl(WorkerCrawl asked)
        : asked_(std::move(asked)),
          site_(common::resolve(std::string(asked_.root.host()), asked_.root.port())
                    .front()) {}

    // [run]
    Coroutine<Crawled> run() {
        TaskGroup group;
        co_await group.run(crawl_in(group));
        co_return crawled_;
    }

  private:
    Coroutine<> crawl_in(TaskGroup& group) {
        add({asked_.root});
        for (std::size_t i = 0; i < asked_.workers; ++i)
            group.start(work());
        try {
            co_await todo_.join(asked_.time_limit);
        } catch (const stage3::Timeout&) {
            crawled_.timed_out = true;
        }
        group.cancel();
    }
    // [/run]

    // [work]
    Coroutine<> work() {
        while (true) {
            const common::Url url = co_await todo_.get();
            std::string response;
            try {
                response = co_await fetch(site_, url);
            } catch (const std::system_error& error) {
                crawled_.failed.emplace(url, error.what());
            }
            add(small::links_in(response, url)); // first, or it would look finished
            todo_.task_done();
        }
    }

    void add(const std::vector<common::Url>& urls) {
        for (const common::Url& url : urls)
            if (url.origin() == asked_.root.origin() && crawled_.met.insert(url).second)
                todo_.put_nowait(url);
    }
    // [/work]

    WorkerCrawl asked_;
    common::Address site_;
    // [members]
    Crawled crawled_;
    stage3::Queue<common::Url> todo_;
    // [/members]
};

} // namespace

Crawled crawl_with_workers(const WorkerCrawl& crawl) {
    Crawl running(crawl);
    return stage3::run(running.run());
}

} // namespace tests
