#include "stage3_queue_crawler/crawler/root_folders.h"

#include "common/web/http_response.h"
#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
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

Coroutine<std::vector<Url>> RootFolders::find(std::vector<Url> roots) {
    roots_ = std::move(roots);
    for (const Url& root : roots_)
        if (!may_be_folder(root))
            with_pages_.insert(Scope::folder_of(root));
    TaskGroup group;
    co_await group.run(ask_each(group));
    co_return std::move(roots_);
}

/// A slow host doesn't hold up the others.
Coroutine<> RootFolders::ask_each(TaskGroup& group) {
    std::map<std::string, std::vector<std::size_t>> hosts;
    for (std::size_t i = 0; i < roots_.size(); ++i)
        if (may_be_folder(roots_[i]))
            hosts[host_of(roots_[i])].push_back(i);
    for (auto& [host, roots] : hosts)
        group.start(ask_host(std::move(roots)), "folders of " + host);
    co_return;
}

/// A root that isn't a folder is a page in one, and so are all its neighbours: these
/// needn't be asked for.
Coroutine<> RootFolders::ask_host(std::vector<std::size_t> roots) {
    const Permit permit = co_await turns_.acquire();
    for (const std::size_t i : roots) {
        const std::string neighbours = Scope::folder_of(roots_[i]);
        if (with_pages_.contains(neighbours))
            continue;
        const std::optional<bool> is_one = co_await is_folder(roots_[i]);
        if (!is_one)
            co_return; // there is no answer from this host
        const auto folder = common::parse_url(std::string(roots_[i].href()) + '/');
        if (*is_one && folder)
            roots_[i] = *folder;
        else
            with_pages_.insert(neighbours);
    }
}

/// Does it redirect into the folder of its own name? Nothing: there was no answer.
Coroutine<std::optional<bool>> RootFolders::is_folder(Url root) {
    constexpr int most_redirects = 5; // to https, or to "www."
    const std::string page = Scope::place_of(root);
    Url url = root;
    for (int redirects = 0; redirects < most_redirects; ++redirects) {
        const PageResponse response = co_await ask(url);
        if (response.status == 0 && !response.error.empty())
            co_return std::nullopt;
        if (!common::is_redirect(response.status))
            break;
        const auto target = common::resolve_url(response.location, url);
        if (!target)
            break;
        const std::string place = Scope::place_of(*target);
        if (place.starts_with(page + '/'))
            co_return true;
        if (place.substr(0, place.find('?')) != page)
            break;
        url = *target;
    }
    co_return false;
}

/// Asks as often as for a page. The response is empty if that isn't allowed: what the
/// user or robots.txt excludes won't be crawled, so it doesn't matter what it is.
Coroutine<PageResponse> RootFolders::ask(Url url) {
    const auto pause = co_await leave_.pause_before(url);
    if (!pause)
        co_return PageResponse();
    if (*pause > EventLoop::Duration::zero())
        co_await sleep(*pause);
    for (Attempt attempt;;) {
        PageRequest request(url);
        request.purpose = Purpose::check;
        request.attempt = attempt;
        request.opens_circles = false; // each redirect is followed here
        Fetched fetched = co_await pages_.fetch(std::move(request));
        auto* const response = std::get_if<PageResponse>(&fetched);
        const Again again = response != nullptr ? Again{.wait = response->retry_after,
                                                        .reaction = response->reaction}
                                                : std::get<Again>(fetched);
        const auto wait = std::chrono::ceil<EventLoop::Duration>(again.wait);
        if (again.reaction == Reaction::refused || again.reaction == Reaction::busy)
            pauses_.refused(host_of(url), wait);
        const auto rest = std::max(*pause, wait);
        pauses_.hold(host_of(url), response != nullptr ? *pause : rest);
        if (response != nullptr)
            co_return std::move(*response);
        if (again.reaction == Reaction::refused)
            ++attempt.refusals;
        else if (again.was_a_try)
            ++attempt.tries;
        co_await sleep(rest);
    }
}

} // namespace stage3
