// The heart of a crawler, on the runtime that you have built.
#pragma once

#include "common/simple_crawl/record.h"
#include "common/simple_crawl/scope.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "common/web/url.h"
#include "coroutine.h"
#include "fetch.h"
#include "loop.h"
#include "queue.h"
#include "workers.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace yours {

class Crawl {
  public:
    /// `report` is called once for each URL, when its fetch has ended.
    Crawl(Loop& loop, const common::Url& root,
          std::function<void(const common::Record&)> report)
        : loop_(loop), report_(std::move(report)), scope_(root), queue_(loop) {
        add({root});
    }

    // [heart]
    /// Fetches the root, and every page of its site that it leads to.
    Coroutine<> run(std::size_t number_of_workers) {
        return run_workers(loop_, queue_, number_of_workers, [this] { return work(); });
    }

  private:
    Coroutine<> work() {
        while (true) {
            const common::Url url = co_await queue_.get();
            const common::HttpResponse response =
                co_await fetch(loop_, url, std::chrono::seconds(30));
            report_(common::judge(url, response));
            add(common::links_of(response, url));
            queue_.task_done();
        }
    }

    void add(const std::vector<common::Url>& urls) {
        for (const common::Url& url : urls)
            if (url.scheme() == "http" && scope_.contains(url)
                && seen_.insert(url).second)
                queue_.put(url);
    }
    // [/heart]

    Loop& loop_;
    std::function<void(const common::Record&)> report_;
    common::Scope scope_;
    std::set<common::Url> seen_;
    Queue<common::Url> queue_;
};

} // namespace yours
