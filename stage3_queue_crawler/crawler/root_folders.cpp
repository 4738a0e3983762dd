#include "stage3_queue_crawler/crawler/root_folders.h"

#include "common/web/http_response.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace stage3 {
namespace {

using common::Url;

/// A query, or a slash at the end, leaves no doubt.
bool may_be_folder(const Url& root) {
    return !root.target().ends_with('/')
           && root.target().find('?') == std::string_view::npos;
}

} // namespace

/// A root that isn't a folder is a page in one, and so are all its neighbours: these
/// needn't be asked for.
Coroutine<std::vector<Url>> RootFolders::find(std::vector<Url> roots) {
    std::set<std::string> with_pages;
    for (const Url& root : roots)
        if (!may_be_folder(root))
            with_pages.insert(Scope::folder_of(root));
    for (Url& root : roots) {
        if (!may_be_folder(root) || with_pages.contains(Scope::folder_of(root)))
            continue;
        const bool is_one = co_await is_folder(root);
        const auto folder = common::parse_url(std::string(root.href()) + '/');
        if (is_one && folder)
            root = *folder;
        else
            with_pages.insert(Scope::folder_of(root));
    }
    co_return roots;
}

/// Does it redirect into the folder of its own name?
Coroutine<bool> RootFolders::is_folder(Url root) {
    constexpr int most_redirects = 5; // to https, or to "www."
    const std::string page = Scope::place_of(root);
    Url url = root;
    for (int redirects = 0; redirects < most_redirects; ++redirects) {
        const bool may = co_await may_ask(url);
        if (!may)
            break;
        if (pause_ > EventLoop::Duration::zero())
            co_await sleep(pause_);
        const Fetched fetched = co_await fetch_.fetch(url, 1, [] {}, Purpose::check);
        settings_.hold(host_of(url), pause_);
        const auto* const response = std::get_if<PageResponse>(&fetched);
        if (response == nullptr || !common::is_redirect(response->status))
            break;
        const auto target = common::resolve_url(response->location, url);
        const std::string place = target ? Scope::place_of(*target) : std::string();
        if (place.starts_with(page + '/'))
            co_return true;
        if (place != page)
            break;
        url = *target;
    }
    co_return false;
}

/// What the user or robots.txt excludes won't be crawled, so it doesn't matter what it
/// is.
Coroutine<bool> RootFolders::may_ask(Url url) {
    pause_ = settings_.delay;
    if (scope_.excludes(url) || !settings_.obey_robots)
        co_return !scope_.excludes(url);
    try {
        const RobotsCache::Answer answer = co_await robots_.ask(url);
        const auto wanted = answer->rules.crawl_delay().value_or(Robots::Duration());
        pause_ = std::max(pause_, std::chrono::ceil<EventLoop::Duration>(wanted));
        co_return answer->rules.allows(url.target());
    } catch (const FetchError&) {
        co_return false;
    }
}

} // namespace stage3
