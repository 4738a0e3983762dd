#include "stage3_queue_crawler/crawler/page_fetch.h"

#include "common/text/ascii.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "stage3_queue_crawler/crawler/traced_fetch.h"
#include "stage3_queue_crawler/http/response_head.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

constexpr int not_modified = 304;

constexpr int unavailable = 503;

/// What servers may send as validators is sent back to them, and kept meanwhile. So it
/// must be short, and not end the header. Source: RFC 9110, sections 8.8.2 and 8.8.3
bool is_entity_tag(std::string_view text) {
    constexpr std::size_t longest = 500;
    text.remove_prefix(text.starts_with("W/") ? 2 : 0);
    return text.size() >= 2 && text.size() <= longest && text.starts_with('"')
           && text.find('"', 1) == text.size() - 1
           && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_date(std::string_view text) {
    constexpr std::size_t longest = 50;
    return !text.empty() && text.size() <= longest
           && std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
}

/// True if the body looks like a document: its first character that isn't blank decides.
Coroutine<bool> is_document(Response& response) {
    for (std::size_t size = 1;; size *= 2) {
        const std::string_view text = co_await response.beginning(size);
        if (text.size() < size || !common::trim(text).empty())
            co_return common::may_hold_links("", text);
    }
}

/// The headers with which a server answers 304 if nothing has changed; none without a
/// validator. Source: RFC 9110, section 13.1
std::vector<std::string> condition(const KeptParts& kept) {
    std::vector<std::string> headers;
    if (is_entity_tag(kept.etag))
        headers.push_back("If-None-Match: " + kept.etag);
    if (is_date(kept.last_modified))
        headers.push_back("If-Modified-Since: " + kept.last_modified);
    return headers;
}

/// The server says that an answer is still right, perhaps with new validators.
void confirm(KeptParts& earlier, KeptParts& now) {
    earlier.source = KeptParts::Source::unchanged;
    earlier.may_be_private = now.may_be_private;
    if (!now.etag.empty())
        earlier.etag = std::move(now.etag);
    if (!now.last_modified.empty())
        earlier.last_modified = std::move(now.last_modified);
}

} // namespace

PageFetch::PageFetch(EventLoop& loop, PageFetchSettings settings)
    : loop_(loop), settings_(std::move(settings)),
      retries_(settings_.limits, loop.random()),
      session_(settings_.open_http(loop, settings_.session)) {}

GetOptions PageFetch::options_for(const common::Url& url) const {
    GetOptions options;
    options.with_headers =
        std::ranges::any_of(settings_.roots, [&](const common::Url& root) {
            return root.origin() == url.origin();
        });
    if (const auto login = settings_.logins.find(url.origin());
        login != settings_.logins.end())
        options.login = login->second;
    options.only_public = settings_.is_foreign(url);
    return options;
}

/// First HEAD. Nothing, unless that says that the URL is alive: there is no status with
/// which no server has ever refused HEAD, and some just break the connection. So the next
/// try is a GET, when it's the host's turn again.
Coroutine<std::optional<Response>> PageFetch::check(common::Url url, GetOptions options,
                                                    Purpose purpose, Attempt attempt,
                                                    PageResponse& page) {
    options.only_head = attempt.tries <= 1;
    try {
        Response response = co_await session_->get(url, options);
        if (!options.only_head || believes(response, options, purpose))
            co_return response;
        page.reaction = Reaction::answered; // although it isn't to be believed
        co_await response.skip(); // there is no body; but the connection is free then
    } catch (const FetchError& error) {
        if (!options.only_head || !error.was_sent || retries_.after(error, attempt.tries))
            throw;
    }
    co_return std::nullopt;
}

/// A server that asks for a pause gets it, and then this question again. (A foreign
/// server won't be asked again, since its answer says nothing about the URL.)
bool PageFetch::believes(const Response& to_head, const GetOptions& options,
                         Purpose purpose) {
    const int status = to_head.status();
    if (common::is_success(status)
        || (status == not_modified && !options.more_headers.empty()))
        return true;
    return RetryPolicy::is_refusal(status, to_head.retry_after())
           || (status == unavailable
               && (purpose == Purpose::check_foreign
                   || retries_.after(status, to_head.retry_after(), Attempt())));
}

/// True if a response with this head is searched for links, so that its body is needed;
/// without a Content-Type, if it's a document. This is decided nowhere else.
bool PageFetch::may_be_searched(const ResponseHead& head) const {
    constexpr int no_content = 204;
    if (!common::is_success(head.status()) || head.status() == no_content)
        return false;
    const std::string_view type = head.header("Content-Type");
    return common::may_hold_links(type, "<")
           || (settings_.reads_style_sheets && common::is_style_sheet(type));
}

/// A foreign server that doesn't answer is asked twice, with a long pause. A status is an
/// answer.
std::optional<Again> PageFetch::gently(std::optional<Again> again,
                                       const PageResponse& page, int tries) const {
    if (!again || (!again->was_a_try && page.status == 0))
        return again;
    if (tries >= 2 || page.error.empty())
        return {};
    again->wait = std::max<RetryPolicy::Duration>(again->wait, settings_.foreign_retry);
    return again;
}

Coroutine<Fetched> PageFetch::fetch(common::Url url, Attempt attempt,
                                    std::function<void()> on_request, Purpose purpose) {
    if (settings_.answers != nullptr)
        return find_or_ask(std::move(url), attempt, std::move(on_request), purpose);
    GetOptions options = options_for(url);
    return ask(std::move(url), attempt, std::move(on_request), purpose,
               std::move(options));
}

/// Asks the server only if there is no answer from an earlier visit that will do. A URL
/// that was to need no request, but does, must first wait for its turn.
Coroutine<Fetched> PageFetch::find_or_ask(common::Url url, Attempt attempt,
                                          std::function<void()> on_request,
                                          Purpose purpose) {
    const bool needs_no_request = settings_.answers->will_do(url, purpose);
    std::optional<PageResponse> earlier = co_await settings_.answers->find(url, purpose);
    if (!earlier && needs_no_request)
        co_return Again{.wait = {}, .was_a_try = false};
    if (earlier)
        earlier->asks_too_much = retries_.is_too_long(earlier->retry_after);
    if (earlier && earlier->kept->source != KeptParts::Source::old) {
        if (earlier->kept->may_be_private)
            session_->allow_private();
        co_return std::move(*earlier);
    }
    GetOptions options = options_for(url);
    if (earlier)
        options.more_headers = condition(*earlier->kept);
    const bool is_conditional = !options.more_headers.empty();
    Coroutine<Fetched> asking =
        ask(std::move(url), attempt, std::move(on_request), purpose, std::move(options));
    Fetched fetched = co_await std::move(asking);
    const auto* const page = std::get_if<PageResponse>(&fetched);
    if (earlier && is_conditional && page != nullptr && page->kept
        && page->status == not_modified) {
        confirm(*earlier->kept, *page->kept);
        co_return std::move(*earlier);
    }
    co_return fetched;
}

void PageFetch::take_headers(const Response& response, PageResponse& page) const {
    page.content_type = response.header("Content-Type");
    page.location = common::trim(response.header("Location"));
    if (settings_.answers == nullptr)
        return;
    page.kept = std::make_shared<KeptParts>();
    page.kept->may_be_private = session_->may_be_private();
    if (const auto etag = response.header("ETag"); is_entity_tag(etag))
        page.kept->etag = etag;
    if (const auto date = response.header("Last-Modified"); is_date(date))
        page.kept->last_modified = date;
}

Coroutine<Fetched> PageFetch::ask(common::Url url, Attempt attempt,
                                  std::function<void()> on_request, Purpose purpose,
                                  GetOptions options) {
    PageResponse page;
    TracedFetch traced(loop_.tracer(), url, page);
    std::optional<Again> again;
    const bool is_check = purpose != Purpose::follow;
    options.wants_body = [this, is_check](const ResponseHead& head) {
        return !is_check && may_be_searched(head);
    };
    try {
        on_request();
        std::optional<Response> answer;
        if (is_check)
            answer = co_await check(std::move(url), std::move(options), purpose, attempt,
                                    page);
        else
            answer = co_await session_->get(std::move(url), std::move(options));
        alone_since_.reset();
        if (!answer)
            co_return Again{.reaction = page.reaction}; // with GET
        Response& response = *answer;
        page.status = response.status();
        page.retry_after = response.retry_after();
        again = after_status(page, attempt);
        if (!again) {
            take_headers(response, page);
            page.is_searched = response.is_wanted();
            if (page.is_searched && common::trim(page.content_type).empty())
                page.is_searched = co_await is_document(response);
            if (page.is_searched) {
                page.body = co_await response.read();
                page.bytes = page.body.size();
            } else {
                page.bytes = co_await response.skip();
            }
        }
    } catch (const FetchError& error) {
        page.bytes = error.bytes;
        page.error = error.what();
        page.is_refused = error.is_distrust();
        again = after(error, attempt.tries);
        if (again) // its head was an answer, even if its body never came
            again->reaction = page.reaction;
    } catch (const std::bad_alloc&) {
        end_crawl(std::current_exception()); // not the page's failure
    } catch (const std::exception& error) {
        page.error = error.what();
    }
    traced.end();
    if (purpose == Purpose::check_foreign)
        again = gently(again, page, attempt.tries);
    if (again)
        co_return *again;
    co_return std::move(page);
}

/// The server has answered: is it worth another try?
std::optional<Again> PageFetch::after_status(PageResponse& page, Attempt attempt) {
    const bool refused = RetryPolicy::is_refusal(page.status, page.retry_after);
    page.reaction = page.status == unavailable ? Reaction::busy : Reaction::answered;
    if (refused)
        page.reaction = Reaction::refused;
    page.asks_too_much = retries_.is_too_long(page.retry_after);
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

int PageFetch::most_tries(const FetchError& error) {
    int tries = 1;
    while (retries_.after(error, tries))
        ++tries;
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
    if (session_->is_busy())
        alone_since_.reset();
    else if (!alone_since_)
        alone_since_ = loop_.time();
    if (alone_since_ && loop_.time() - *alone_since_ > 3s) {
        end_crawl(std::make_exception_ptr(std::runtime_error(
            "there is no descriptor for even one connection (see ulimit -n)")));
    }
    if (!said_descriptors_)
        settings_.on_note(fmt::format("{}: fetches wait until there is one (see ulimit "
                                      "-n, or use fewer --workers)",
                                      error.what()));
    said_descriptors_ = true;
    return {.wait = 100ms, .was_a_try = false};
}

} // namespace stage3
