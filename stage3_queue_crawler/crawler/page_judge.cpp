#include "stage3_queue_crawler/crawler/page_judge.h"

#include "common/text/ascii.h"
#include "common/trace/place.h"
#include "common/web/charset.h"
#include "common/web/http_response.h"
#include "common/web/links.h"

#include <fmt/core.h>

#include <exception>
#include <optional>
#include <vector>

namespace stage3 {
namespace {

using common::Url;

/// "mailto:a@b": an absolute URL, but none that can be crawled.
bool has_other_scheme(std::string_view reference) {
    const auto colon = reference.find_first_of(":/?#");
    if (colon == std::string_view::npos || colon == 0 || reference[colon] != ':')
        return false;
    const std::string_view scheme = reference.substr(0, colon);
    return !common::equal_ignoring_case(scheme, "http")
           && !common::equal_ignoring_case(scheme, "https");
}

} // namespace

Coroutine<Page> PageJudge::judge(const Work& work, PageResponse response) {
    Page page(work);
    read_headers(work, response, page);
    if (!response.error.empty()) {
        page.fail(response.error);
        co_return page;
    }
    if (response.status != 200)
        co_return page;
    try {
        co_await read_links(work, std::move(response), page);
    } catch (const common::TracedError& error) {
        tell_way(work, error);
        page.fail(error.what());
    } catch (const std::exception& error) {
        page.fail(error.what());
    }
    co_return page;
}

void PageJudge::read_headers(const Work& work, const PageResponse& response, Page& page) {
    const std::string_view type = response.content_type;
    Record& record = page.record;
    record.content_type = common::trim(type.substr(0, type.find(';')));
    record.charset = common::header_parameter(type, "charset");
    record.status = response.status;
    record.bytes = response.bytes;
    if (common::is_redirect(response.status)) {
        read_location(work, response, page);
    } else if (response.status != 200) {
        record.outcome = Outcome::error;
        record.error = fmt::format("HTTP status {}", response.status);
        if (RetryPolicy::may_pass(response.status)
            && response.retry_after > RetryPolicy::longest_wait)
            record.error +=
                fmt::format(", come back in {} s", response.retry_after.count());
    }
}

void PageJudge::read_location(const Work& work, const PageResponse& response,
                              Page& page) {
    const std::string& location = response.location;
    Record& record = page.record;
    record.outcome = Outcome::redirect;
    const std::optional<Url> target =
        location.empty() ? std::nullopt : common::resolve_url(location, work.url);
    if (!target && has_other_scheme(location)) {
        record.next_url = location;
        return;
    }
    if (!target) {
        record.outcome = Outcome::error;
        record.error = location.empty() ? "redirect without a target"
                                        : fmt::format("redirect to what is no URL: {}",
                                                      location.substr(0, 200));
        return;
    }
    record.next_url = target->href();
    if (!scope_->contains(*target))
        return;
    if (work.redirects_left == 0)
        page.fail("redirect limit reached");
    else
        page.found.redirect = target;
}

Coroutine<> PageJudge::read_links(const Work& work, PageResponse response, Page& page) {
    if (!common::may_hold_links(response.content_type, response.body)) {
        page.record.outcome = Outcome::file;
        co_return;
    }
    common::Links links =
        co_await reader_.read(work.url, response.content_type, std::move(response.body));
    page.record.links = links.urls.size();
    page.record.outcome = Outcome::page;
    leave_out(links.left_out, "beyond the limit for a page", work);
    leave_out(links.too_long, "too long for URLs", work);
    page.found.links = std::move(links.urls);
}

/// Links of a page that won't be followed, though they might be in scope.
void PageJudge::leave_out(std::size_t links, std::string_view why, const Work& work) {
    if (links == 0)
        return;
    left_out_ += links;
    on_note_(
        fmt::format("{}: {} links are left out, being {}", work.url.href(), links, why));
}

/// Tells the way of an error: the coroutines from this task's first one to the one that
/// has thrown it. It has ended some of them already.
void PageJudge::tell_way(const Work& work, const common::TracedError& error) {
    const TaskBase& worker = *current_task();
    std::vector<common::Place> coroutines = worker.chain();
    const std::vector<common::Place> ended = worker.traceback();
    coroutines.insert(coroutines.end(), ended.begin(), ended.end());
    on_note_(fmt::format("{} can't be read.\nThe coroutines of {}, the last one at "
                         "the bottom:\n{}{}: {}",
                         work.url.href(), worker.name(), common::describe(coroutines),
                         common::file_and_line(error.where), error.what()));
}

} // namespace stage3
