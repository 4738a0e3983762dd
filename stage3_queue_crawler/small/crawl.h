// The smallest crawl with a queue of workers.
//
// Page 13 of the book. Page 16 begins anew, with crawler.h.
#pragma once

#include "common/web/response_links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/fetch.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/task.h"

#include <cstddef>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace stage3::small {

class Crawl {
  public:
    explicit Crawl(EventLoop& loop) : loop_(loop), queue_(loop) {}

    // [run]
    /// Fetches `root`, an http URL, and all pages on its host that it leads to. Must not
    /// be cancelled: its workers would be destroyed before they are done.
    Coroutine<> run(common::Url root, std::size_t number_of_workers) {
        host_ = root.host();
        add({root});
        std::list<Task> workers;
        for (std::size_t i = 0; i < number_of_workers; ++i)
            workers.emplace_back(loop_, work());
        co_await queue_.join(); // the whole crawl happens here
        for (Task& worker : workers)
            worker.cancel();
        for (Task& worker : workers)
            co_await end_of(worker);
    }
    // [/run]

    /// All URLs found so far.
    const std::set<common::Url>& seen() const { return seen_; }
    /// Those that couldn't be fetched, and why.
    const std::map<common::Url, std::string>& failed() const { return failed_; }

  private:
    // [work]
    Coroutine<> work() {
        while (true) {
            const common::Url url = co_await queue_.get();
            const common::HttpResponse response = co_await fetch(loop_, url);
            learn(url, response);
            queue_.task_done();
        }
    }
    // [/work]

    // [learn]
    void learn(const common::Url& url, const common::HttpResponse& response) {
        if (!response.error.empty())
            failed_[url] = response.error;
        add(common::links_of(response, url));
    }

    void add(const std::vector<common::Url>& urls) {
        for (const common::Url& url : urls)
            if (url.scheme() == "http" && url.host() == host_ && seen_.insert(url).second)
                queue_.put(url);
    }
    // [/learn]

    // [end-of]
    /// Waits until a cancelled task has ended.
    static Coroutine<> end_of(Task& task) {
        try {
            co_await task;
        } catch (const Cancelled&) {
            co_return; // as it was asked to
        }
    }
    // [/end-of]

    EventLoop& loop_;
    std::string host_;
    std::set<common::Url> seen_;
    std::map<common::Url, std::string> failed_;
    Queue<common::Url> queue_;
};

} // namespace stage3::small
