// A crawler that survives: it finds the dead links of a site, whatever its servers do.
//
// The real one is crawler/crawler.h. Page 16 of the book.
#pragma once

#include "common/web/http_response.h"
#include "common/web/response_links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/queue.h"
#include "stage3_queue_crawler/small/session.h"

#include <fmt/core.h>

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3::small {

// [settings]
struct Settings {
    std::size_t workers = 10;
    Loop::Milliseconds time_for_fetch{30'000};
    Loop::Milliseconds time_before_retry{1'000};
    /// Finds the links in a response to a request for a URL.
    std::function<std::vector<common::Url>(const common::HttpResponse&,
                                           const common::Url&)>
        links_of = &common::links_of;
};
// [/settings]

// [record]
/// What became of a URL.
struct Record {
    int status = 0;                    // 0: there was no response
    std::string error;                 // why it is dead; empty: it isn't
    std::optional<common::Url> next{}; // where a redirect leads
};
// [/record]

class Crawler {
  public:
    // [run]
    Crawler(Loop& loop, Session& session, common::Url root, Settings settings = {})
        : loop_(loop), session_(session), root_(std::move(root)),
          settings_(std::move(settings)) {}

    /// Fetches the root, and all pages on its host that it leads to. Called once.
    Coroutine<> run() {
        add({root_}, root_);
        for (std::size_t i = 0; i < settings_.workers; ++i)
            group_.start(work());
        group_.start(end_when_done());
        co_await group_.wait(); // the whole crawl happens here
    }
    // [/run]

    // [results]
    /// All URLs found so far, each with the page on which it was found first ...
    const std::map<common::Url, common::Url>& found_on() const { return found_on_; }
    /// ... and those that are done.
    const std::map<common::Url, Record>& records() const { return records_; }

    /// Why `url` is dead, or nothing. A redirect is as dead as its target.
    std::string why_dead(common::Url url) const {
        for (int redirects = 0; redirects <= 20; ++redirects) {
            const auto known = records_.find(url);
            if (known == records_.end())
                return "";
            const Record& record = known->second;
            if (!record.next)
                return record.error;
            url = *record.next;
        }
        return "more than 20 redirects";
    }
    // [/results]

  private:
    // [visit]
    struct Item {
        common::Url url;
        bool is_second_try = false;
    };

    /// A URL taken from the queue. If it's not done when this is destroyed, it goes back.
    class Visit {
      public:
        Visit(Queue<Item>& queue, Item of) : item(std::move(of)), queue_(&queue) {}
        Visit(Visit&& other) noexcept
            : item(std::move(other.item)), queue_(std::exchange(other.queue_, nullptr)) {}
        Visit& operator=(Visit&&) = delete;
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;
        ~Visit() {
            if (queue_ == nullptr)
                return; // it's done, or has moved elsewhere
            queue_->put(std::move(item));
            queue_->task_done();
        }

        void done() { std::exchange(queue_, nullptr)->task_done(); }

        Item item;

      private:
        Queue<Item>* queue_;
    };
    // [/visit]

    // [work]
    Coroutine<> work() {
        while (true) {
            Item item = co_await queue_.get();
            Visit visit(queue_, std::move(item));
            common::HttpResponse response;
            const bool in_time = co_await ends_within(loop_, settings_.time_for_fetch,
                                                      fetch(visit.item.url, response));
            if (!in_time)
                response.error = "no answer in time";
            if (!visit.item.is_second_try && may_get_better(response))
                group_.start(try_later(std::move(visit)));
            else
                finish(std::move(visit), response);
        }
    }

    Coroutine<> fetch(const common::Url& url, common::HttpResponse& response) {
        response = co_await session_.get(url);
    }
    // [/work]

    // [try-later]
    /// True if the fetch failed, or the server is too busy or has a bad moment.
    static bool may_get_better(const common::HttpResponse& response) {
        return !response.error.empty() || response.status == 429 // too many requests
               || response.status >= 500;
    }

    Coroutine<> try_later(Visit visit) {
        Visit back = std::move(visit); // destroyed when this ends, and goes back
        back.item.is_second_try = true;
        co_await sleep(loop_, settings_.time_before_retry);
    }
    // [/try-later]

    // [finish]
    /// Makes the record, and adds the links before the URL counts as done.
    void finish(Visit visit, const common::HttpResponse& response) {
        const common::Url& url = visit.item.url;
        Record record{response.status, response.error};
        try {
            const auto links = settings_.links_of(response, url);
            if (common::is_redirect(response.status) && !links.empty())
                record.next = links.front();
            else if (!common::is_success(response.status) && record.error.empty())
                record.error = fmt::format("HTTP status {}", response.status);
            add(links, url);
        } catch (const std::exception& error) {
            record.error = error.what();
        }
        records_.emplace(url, std::move(record));
        visit.done();
    }

    void add(const std::vector<common::Url>& urls, const common::Url& page) {
        for (const common::Url& url : urls)
            if (url.host() == root_.host() && found_on_.emplace(url, page).second)
                queue_.put({url});
    }
    // [/finish]

    // [end-when-done]
    Coroutine<> end_when_done() {
        co_await queue_.join();
        group_.cancel(); // the workers wait for URLs that never come
    }
    // [/end-when-done]

    // [members]
    Loop& loop_;
    Session& session_;
    common::Url root_;
    Settings settings_;
    std::map<common::Url, common::Url> found_on_;
    std::map<common::Url, Record> records_;
    Queue<Item> queue_{loop_};
    Group group_{loop_}; // destroyed before the queue, to which visits go back
    // [/members]
};

} // namespace stage3::small
