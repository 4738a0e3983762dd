// A crawler that survives: it finds the dead links of a site, whatever its servers do.
//
// Fill in Crawler. What the outside sees of it, and what it keeps, is given.
#pragma once

#include "common/web/http_response.h"
#include "common/web/response_links.h"
#include "common/web/url.h"
#include "coroutine.h"
#include "group.h"
#include "loop.h"
#include "queue.h"
#include "session.h"

#include <fmt/core.h>

#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yours {

struct Settings {
    std::size_t workers = 10; // how many pages are fetched at the same time
    Loop::Milliseconds time_for_fetch{30'000};
    Loop::Milliseconds time_before_retry{1'000};
    /// Finds the links in a response to a request for a URL. Of a redirect, that is only
    /// where it leads.
    std::function<std::vector<common::Url>(const common::HttpResponse&,
                                           const common::Url&)>
        links_of = &common::links_of;
};

/// What became of a URL.
struct Record {
    int status = 0;                    // 0: there was no response
    std::string error;                 // why it is dead; empty: it isn't
    std::optional<common::Url> next{}; // where a redirect leads
};

class Crawler {
  public:
    Crawler(Loop& loop, Session& session, common::Url root, Settings settings = {})
        : loop_(loop), session_(session), root_(std::move(root)),
          settings_(std::move(settings)) {}

    /// Fetches the root, and all pages on its host that it leads to, each once. Called
    /// once. Returns when every URL that was found is done.
    ///
    /// If the caller is asked to end, the workers are asked, and Cancelled is thrown when
    /// they have ended. What throws in a worker ends the crawl, too, and is thrown;
    /// but what `finish` catches doesn't.
    Coroutine<> run() {
        co_return; // yours: workers, and something that knows when all is done
    }

    /// All URLs found so far, each with the page on which it was found first ...
    const std::map<common::Url, common::Url>& found_on() const { return found_on_; }
    /// ... and those that are done.
    const std::map<common::Url, Record>& records() const { return records_; }

    /// Why `url` is dead. A redirect is as dead as its target, but more than 20 redirects
    /// in a row are dead, too. Empty if it isn't known to be.
    std::string why_dead(common::Url url) const {
        (void)url; // yours
        return "";
    }

  private:
    struct Item {
        common::Url url;
        bool is_second_try = false;
    };

    /// A URL taken from the queue. If it's not done when this is destroyed, it goes back.
    /// One that was moved from does nothing.
    class Visit {
      public:
        Visit(Queue<Item>& queue, Item of) : item(std::move(of)) {
            (void)queue; // yours
        }
        Visit(Visit&& other) noexcept : item(std::move(other.item)) {
            // yours
        }
        Visit& operator=(Visit&&) = delete;
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;
        ~Visit() {
            // yours
        }

        /// It has been dealt with.
        void done() {
            // yours
        }

        Item item;
    };

    /// A worker: takes one URL after the other, and fetches it. A fetch that takes longer
    /// than `settings_.time_for_fetch` has failed. If a first try may get better, the
    /// visit is left to try_later, and otherwise to finish.
    Coroutine<> work() {
        co_return; // yours
    }

    /// True if the fetch failed, or the server is too busy or has a bad moment.
    static bool may_get_better(const common::HttpResponse& response) {
        return !response.error.empty() || response.status == 429 // too many requests
               || response.status >= 500;
    }

    /// Puts the URL back into the queue, but only after `settings_.time_before_retry`, or
    /// when it's asked to end. Holds up no worker meanwhile.
    Coroutine<> try_later(Visit visit) {
        (void)visit; // yours
        co_return;
    }

    /// Makes the record, adds the links of the page, and is done with the visit. A
    /// redirect's record says where it leads. Anything else that is no success
    /// (common::is_redirect, common::is_success) is dead: "HTTP status 404", or what the
    /// response's `error` says. If finding or adding the links throws a std::exception,
    /// its text is the record's error.
    void finish(Visit visit, const common::HttpResponse& response) {
        (void)visit; // yours
        (void)response;
    }

    /// Adds those that are on the root's host, and new. They were found on `page`.
    void add(const std::vector<common::Url>& urls, const common::Url& page) {
        (void)urls; // yours
        (void)page;
    }

    Loop& loop_;
    Session& session_;
    common::Url root_;
    Settings settings_;
    std::map<common::Url, common::Url> found_on_;
    std::map<common::Url, Record> records_;
    Queue<Item> queue_{loop_};
    Group group_{loop_}; // destroyed before the queue, to which visits go back
};

} // namespace yours
