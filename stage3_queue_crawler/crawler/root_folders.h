// Which roots are folders?
//
// A user who types "--scope prefix example.org/docs" means a folder, if "docs" is one.
// Only its server knows: it redirects from a folder's name to "/docs/". So before the
// crawl begins, such roots are asked for, as politely as pages. Page 18b of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/host_pauses.h"
#include "stage3_queue_crawler/crawler/leave_to_ask.h"
#include "stage3_queue_crawler/crawler/page_request.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stage3 {

class RootFolders {
  public:
    /// What it works with must outlive it.
    RootFolders(PageSource& pages, LeaveToAsk& leave, HostPauses& pauses,
                std::size_t workers)
        : pages_(pages), leave_(leave), pauses_(pauses), turns_(workers) {}

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

    PageSource& pages_;
    LeaveToAsk& leave_;
    HostPauses& pauses_;
    Semaphore turns_; // of hosts: of each, one root at a time is asked for
    std::vector<common::Url> roots_;
    std::set<std::string> with_pages_; // folders of which roots are pages
};

} // namespace stage3
