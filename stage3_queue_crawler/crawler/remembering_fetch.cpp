#include "stage3_queue_crawler/crawler/remembering_fetch.h"

#include "common/web/http_response.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stage3 {
namespace {

/// A validator is kept until the next crawl, which sends it back to the server. So it
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

/// What a state file keeps of a response that has just come.
void note_validators(const Response& response, const Http& session, PageResponse& page) {
    page.kept = std::make_shared<KeptParts>();
    page.kept->may_be_private = session.may_be_private();
    if (const auto etag = response.header("ETag"); is_entity_tag(etag))
        page.kept->etag = etag;
    if (const auto date = response.header("Last-Modified"); is_date(date))
        page.kept->last_modified = date;
}

/// If it's the end of a circle, it isn't what the URL itself would have answered.
Fetched without_foreign_validators(Fetched fetched) {
    auto* const page = std::get_if<PageResponse>(&fetched);
    if (page != nullptr && page->from && page->kept) {
        page->kept->etag.clear();
        page->kept->last_modified.clear();
    }
    return fetched;
}

} // namespace

Coroutine<Fetched> RememberingFetch::fetch(PageRequest request) {
    std::optional<PageResponse> earlier =
        co_await answers_.find(request.url, request.purpose);
    if (earlier && circles_ != nullptr && request.opens_circles
        && !circles_->may_stand(request.url, *earlier))
        earlier.reset();
    if (!earlier && request.is_remembered)
        co_return Again{.wait = {}, .was_a_try = false};
    request.on_head = [this](const Response& response, PageResponse& page) {
        note_validators(response, session_, page);
    };
    if (!earlier)
        co_return without_foreign_validators(co_await behind_.fetch(std::move(request)));
    if (earlier->kept->source != KeptParts::Source::old)
        co_return take_earlier(std::move(*earlier));
    co_return co_await ask_again(std::move(request), std::move(*earlier));
}

/// Has it changed since?
Coroutine<Fetched> RememberingFetch::ask_again(PageRequest request,
                                               PageResponse earlier) {
    request.headers = condition(*earlier.kept);
    const bool is_conditional = request.is_conditional();
    Coroutine<Fetched> asking = behind_.fetch(std::move(request));
    Fetched fetched = without_foreign_validators(co_await std::move(asking));
    auto* const page = std::get_if<PageResponse>(&fetched);
    if (!is_conditional || page == nullptr || !page->kept || page->from
        || page->status != common::not_modified)
        co_return fetched;
    confirm(*earlier.kept, *page->kept);
    earlier.reaction = page->reaction;
    earlier.asks_too_much = limits_.is_too_long(earlier.retry_after);
    co_return std::move(earlier);
}

std::unique_ptr<PageSource> remember(PageSource& behind, Answers* answers, Http& session,
                                     const RetryLimits& limits, CookieCircles* circles) {
    if (answers == nullptr)
        return nullptr;
    return std::make_unique<RememberingFetch>(behind, *answers, session, limits, circles);
}

/// Its server isn't asked.
PageResponse RememberingFetch::take_earlier(PageResponse earlier) {
    if (earlier.kept->may_be_private)
        session_.allow_private();
    earlier.asks_too_much = limits_.is_too_long(earlier.retry_after);
    earlier.earlier_tries = earlier.kept->tries;
    return earlier;
}

} // namespace stage3
