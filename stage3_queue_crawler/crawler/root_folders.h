// Which roots are folders?
//
// A user who types "--scope prefix example.org/docs" means a folder, if "docs" is one.
// Only its server knows: it redirects from a folder's name to "/docs/". So before the
// crawl begins, such roots are asked for, as politely as pages. Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/page_fetch.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

class RootFolders {
  public:
    struct Settings {
        bool obey_robots = true;
        EventLoop::Duration delay{};   ///< between two requests to a host
        std::size_t hosts_at_once = 1; ///< of each, one root at a time is asked for
        /// Called when a host has refused a request and wants a pause, with its length.
        std::function<void(const std::string&, EventLoop::Duration)> on_refusal =
            [](const std::string&, EventLoop::Duration) {};
        /// Called when a host was asked, with the pause that it now gets.
        std::function<void(const std::string&, EventLoop::Duration)> hold =
            [](const std::string&, EventLoop::Duration) {};
    };

    /// All of these must outlive it, except for the settings.
    RootFolders(PageFetch& fetch, RobotsCache& robots, const Scope& scope,
                Settings settings)
        : fetch_(fetch), robots_(robots), scope_(scope), settings_(std::move(settings)),
          turns_(settings_.hosts_at_once) {}

    /// The roots, with a slash at the end of those that turn out to be folders. Like any
    /// URL, they are tried more than once; if one of a host gives no answer at all, it
    /// and the host's others are taken for pages. Call it once. Throws as
    /// `PageFetch::fetch` does.
    Coroutine<std::vector<common::Url>> find(std::vector<common::Url> roots);

  private:
    Coroutine<> ask_each(TaskGroup& group);
    Coroutine<> ask_host(std::vector<std::size_t> roots);
    Coroutine<std::optional<bool>> is_folder(common::Url root);
    Coroutine<PageResponse> ask(common::Url url);
    Coroutine<std::optional<EventLoop::Duration>> may_ask(common::Url url);

    PageFetch& fetch_;
    RobotsCache& robots_;
    const Scope& scope_;
    const Settings settings_;
    Semaphore turns_;
    std::vector<common::Url> roots_;
    std::set<std::string> with_pages_; // folders of which roots are pages
};

} // namespace stage3
