#include "stage3_queue_crawler/crawler/page_fetch.h"

#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/traced_fetch.h"
#include "stage3_queue_crawler/http/response_head.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

constexpr int unavailable = 503;

/// True if the body looks like a document: its first character that isn't blank decides.
Coroutine<bool> is_document(Response& response) {
    for (std::size_t size = 1;; size *= 2) {
        const std::string_view text = co_await response.beginning(size);
        if (text.size() < size || !common::trim(text).empty())
            co_return common::may_hold_links("", text);
    }
}

/// True if the answer is a wall's that stands before the server, to keep programs out: it
/// says nothing of the page. 202 is what one of them sends with its puzzle.
/// Sources: Cloudflare's and AWS WAF's documentation of challenges
bool is_bot_wall(const Response& response) {
    constexpr int accepted = 202;
    const int status = response.status();
    if ((common::is_success(status) && status != accepted) || common::is_redirect(status))
        return false; // as nearly always
    return std::ranges::any_of(
        std::array{"cf-mitigated", "cf-chl-bypass", "x-amzn-waf-action"},
        [&](const char* name) { return !response.header(name).empty(); });
}

/// Although this answer isn't to be believed. 501: HEAD may be all that it minds.
Reaction reaction_to_head(int status, Purpose purpose) {
    constexpr int not_implemented = 501;
    const bool is_complaint = purpose == Purpose::check_foreign && is_unclear(status)
                              && status != not_implemented;
    return is_complaint ? Reaction::displeased : Reaction::answered;
}

} // namespace

/// First HEAD. Nothing, unless that says that the URL is alive: there is no status with
/// which no server has ever refused HEAD, and some just break the connection. So the next
/// try is a GET, when it's the host's turn again.
Coroutine<std::optional<Response>>
PageFetch::check(const PageRequest& request, GetOptions options, PageResponse& page) {
    options.only_head = request.attempt.tries <= 1;
    try {
        Response response = co_await session_.get(request.url, options);
        if (!options.only_head || believes(response, request))
            co_return response;
        page.reaction = reaction_to_head(response.status(), request.purpose);
        co_await response.skip(); // there is no body; but the connection is free then
    } catch (const FetchError& error) {
        if (!options.only_head || !error.was_sent
            || retries_.after(error, request.attempt.tries))
            throw;
    }
    co_return std::nullopt;
}

/// A server that asks for a pause gets it, and then this question again. (A foreign
/// server won't be asked again, since its answer says nothing about the URL.)
bool PageFetch::believes(const Response& to_head, const PageRequest& request) {
    const int status = to_head.status();
    if (common::is_success(status)
        || (status == common::not_modified && request.is_conditional()))
        return true;
    return RetryPolicy::is_refusal(status, to_head.retry_after())
           || (status == unavailable
               && (request.purpose == Purpose::check_foreign
                   || retries_.after(status, to_head.retry_after(), Attempt())));
}

/// True if a response with this head is searched for links or ids, so that its body is
/// needed; without a Content-Type, if it's a document. This is decided nowhere else.
bool PageFetch::may_be_searched(const ResponseHead& head, Purpose purpose) const {
    constexpr int no_content = 204;
    if (!common::is_success(head.status()) || head.status() == no_content)
        return false;
    const std::string_view type = head.header("Content-Type");
    return common::may_hold_links(type, "<")
           || (searches_style_sheets_ && purpose == Purpose::follow
               && common::is_style_sheet(type));
}

/// A foreign server that doesn't answer is asked twice, with a long pause. A status is an
/// answer. If that is about us, its server may not like how often we ask.
std::optional<Again> PageFetch::gently(std::optional<Again> again, int tries,
                                       PageResponse& page) const {
    if (page.reaction == Reaction::answered
        && (page.is_bot_wall || is_unclear(page.status)))
        page.reaction = Reaction::displeased;
    if (!again || (!again->was_a_try && page.status == 0))
        return again;
    if (tries >= 2 || page.error.empty())
        return {};
    again->wait = std::max<RetryPolicy::Duration>(again->wait, foreign_retry_);
    return again;
}

void PageFetch::take_head(const PageRequest& request, const Response& response,
                          PageResponse& page) const {
    page.content_type = response.header("Content-Type");
    page.location = common::trim(response.header("Location"));
    if (request.on_head)
        request.on_head(response, page);
}

/// Receives a body that may be searched. Throws FetchError, if that counts.
Coroutine<> PageFetch::search(const PageRequest& request, Response& response,
                              PageResponse& page) const {
    try {
        if (common::trim(page.content_type).empty())
            page.is_searched = co_await is_document(response);
        if (page.is_searched) {
            page.body = co_await response.read();
            page.bytes = page.body.size();
        } else {
            page.bytes = co_await response.skip();
        }
    } catch (const FetchError& error) {
        if (request.purpose == Purpose::follow)
            throw;
        page.is_searched = false;
        page.bytes = error.bytes;
        if (error.kind != FetchError::Kind::too_large)
            page.reaction = Reaction::none; // half of an answer is none
    }
}

Coroutine<Fetched> PageFetch::fetch(PageRequest request) {
    GetOptions options = rules_.options_for(request.url);
    options.wants_page = request.wants_page;
    options.more_headers.insert(options.more_headers.end(), request.headers.begin(),
                                request.headers.end());
    if (is_check(request.purpose))
        options.wants_body = [](const ResponseHead&) { return false; };
    else
        options.wants_body = [this, purpose = request.purpose](const ResponseHead& head) {
            return may_be_searched(head, purpose);
        };
    return ask(std::move(request), std::move(options));
}

Coroutine<Fetched> PageFetch::ask(PageRequest request, GetOptions options) {
    PageResponse page;
    TracedFetch traced(loop_.tracer(), request.url, page);
    std::optional<Again> again;
    try {
        request.on_request();
        std::optional<Response> answer;
        if (is_check(request.purpose))
            answer = co_await check(request, std::move(options), page);
        else
            answer = co_await session_.get(request.url, std::move(options));
        alone_since_.reset();
        if (!answer)
            co_return Again{.reaction = page.reaction}; // with GET
        Response& response = *answer;
        page.status = response.status();
        page.retry_after = response.retry_after();
        page.is_bot_wall = is_bot_wall(response);
        again = after_status(page, request.attempt);
        if (!again) {
            take_head(request, response, page);
            page.is_searched = response.is_wanted() && !page.is_bot_wall;
            if (page.is_searched)
                co_await search(request, response, page);
            else
                page.bytes = co_await response.skip();
        }
    } catch (const FetchError& error) {
        again = after_failure(error, request.attempt.tries, page);
    } catch (const std::bad_alloc&) {
        end_crawl(std::current_exception()); // not the page's failure
    } catch (const std::exception& error) {
        page.error = error.what();
    }
    traced.end();
    if (is_foreign(request.purpose))
        again = gently(again, request.attempt.tries, page);
    if (again)
        co_return *again;
    if (circles_ != nullptr && request.opens_circles
        && circles_->may_open(request.url, page))
        co_return co_await circles_->follow(std::move(request), std::move(page), *this);
    co_return std::move(page);
}

/// There is no whole response: is it worth another try?
std::optional<Again> PageFetch::after_failure(const FetchError& error, int tries,
                                              PageResponse& page) {
    page.bytes = error.bytes;
    page.error = error.what();
    page.is_refused = error.is_distrust();
    std::optional<Again> again = after(error, tries);
    if (again) // its head was an answer, even if its body never came
        again->reaction = page.reaction;
    return again;
}

/// The server has answered: is it worth another try?
std::optional<Again> PageFetch::after_status(PageResponse& page, Attempt attempt) {
    const bool refused = RetryPolicy::is_refusal(page.status, page.retry_after);
    page.reaction = page.status == unavailable ? Reaction::busy : Reaction::answered;
    if (page.is_bot_wall) { // it would be there again
        page.reaction = Reaction::answered;
        return {};
    }
    if (refused)
        page.reaction = Reaction::refused;
    page.asks_too_much = retries_.limits().is_too_long(page.retry_after);
    const auto wait = retries_.after(page.status, page.retry_after, attempt);
    if (!wait)
        return {};
    return Again{.wait = *wait, .reaction = page.reaction, .was_a_try = !refused};
}

std::optional<Again> PageFetch::after(const FetchError& error, int tries) {
    if (error.kind == FetchError::Kind::no_descriptor)
        return wait_for_descriptor(error);
    if (error.kind == FetchError::Kind::bad_option) // no fetch can do better
        end_crawl(std::make_exception_ptr(std::runtime_error(error.what())));
    alone_since_.reset(); // there was a descriptor
    const auto wait = retries_.after(error, tries);
    if (!wait)
        return {};
    return Again{.wait = *wait};
}

std::optional<Again> PageFetch::after_our_own(const std::exception_ptr& failure,
                                              int tries) {
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const FetchError& error) {
        if (error.kind == FetchError::Kind::no_descriptor
            || error.kind == FetchError::Kind::bad_option)
            return after(error, tries);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) { // its server's
        return {};
    }
    return {};
}

int PageFetch::most_tries(const std::exception_ptr& failure) {
    int tries = 1;
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const FetchError& error) {
        while (retries_.after(error, tries))
            ++tries;
    } catch (...) { // NOLINT(bugprone-empty-catch): the caller knows what it means
    }
    return tries;
}

/// All tasks that fail now fail with the same exception.
void PageFetch::end_crawl(std::exception_ptr why) {
    if (!fatal_)
        fatal_ = std::move(why);
    std::rethrow_exception(fatal_);
}

/// The server hasn't failed, so this wasn't a try.
Again PageFetch::wait_for_descriptor(const FetchError& error) {
    if (fatal_)
        std::rethrow_exception(fatal_);
    // Other fetches return theirs when they are done. Without any, none will come back.
    if (session_.is_busy())
        alone_since_.reset();
    else if (!alone_since_)
        alone_since_ = loop_.time();
    if (alone_since_ && loop_.time() - *alone_since_ > 3s) {
        end_crawl(std::make_exception_ptr(std::runtime_error(
            "there is no descriptor for even one connection (see ulimit -n)")));
    }
    if (!said_descriptors_)
        on_note_(fmt::format("{}: fetches wait until there is one (see ulimit "
                             "-n, or use fewer --workers)",
                             error.what()));
    said_descriptors_ = true;
    return {.wait = 100ms, .was_a_try = false};
}

} // namespace stage3
