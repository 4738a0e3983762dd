#include "stage3_queue_crawler/crawler/page_judge.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/http_response.h"
#include "common/web/links.h"
#include "common/web/malformed_url.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/http/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <vector>

namespace stage3 {
namespace {

using common::Url;

/// The scheme of an absolute URL that can't be crawled: "mailto" of "mailto:a@b". Empty
/// for any other reference.
std::string other_scheme(std::string_view reference) {
    const auto colon = reference.find_first_of(":/?#");
    if (colon == std::string_view::npos || reference[colon] != ':')
        return {};
    const std::string scheme = common::lower(reference.substr(0, colon));
    return scheme == "http" || scheme == "https" ? "" : scheme;
}

/// True if a browser that is redirected there doesn't go. (It hands other schemes to a
/// program that may know them: "mailto", "tel", an app's own.)
bool is_dead_end(std::string_view scheme) {
    constexpr std::array schemes{"about",  "blob",       "data",        "file", "ftp",
                                 "gopher", "javascript", "view-source", "ws",   "wss"};
    // "example.org:8080/" is a host, and someone forgot the "http://".
    return std::ranges::find(schemes, scheme) != schemes.end()
           || scheme.find('.') != std::string_view::npos;
}

/// Why a page with this status is dead.
std::string describe_status(const PageResponse& response, bool is_foreign) {
    const int status = response.status;
    std::string text = fmt::format("HTTP status {}", status);
    constexpr int linkedin = 999;
    if (response.is_bot_wall || (is_foreign && status == linkedin))
        text += ", from a wall that keeps programs out";
    else if (status == common::not_modified)
        text += " (not modified) to a request without a condition";
    else if (status < 100 || status > 599)
        text += ", which HTTP doesn't have";
    else if (RetryPolicy::may_pass(status) && response.asks_too_much)
        text += fmt::format(", come back in {} s", response.retry_after.count());
    return text;
}

/// True for a status with which the crawl's own server says nothing about the URL, but
/// about our pace, or that it can't say for a long time.
bool says_nothing(const PageResponse& response) {
    return response.status == 429 || (response.status == 503 && response.asks_too_much);
}

/// No response, for that reason.
PageResponse failed_with(const std::string& error) {
    PageResponse none;
    none.error = error;
    return none;
}

/// A foreign server may want more of a visitor than its cookies: a browser that runs its
/// scripts.
void fail_redirect(Record& record, std::string_view why) {
    record.outcome = record.is_foreign ? Outcome::unclear : Outcome::failed;
    record.error = why;
}

} // namespace

bool judge_circle(Record& record, RedirectCircles& circles) {
    const auto target = common::parse_url(record.next_url);
    if (record.outcome != Outcome::redirect || !target
        || !circles.closes(record.url, *target))
        return false;
    fail_redirect(record, redirect_loop);
    return true;
}

Page PageJudge::judge(const Item& item, const PageResponse& response,
                      std::optional<common::Links> links) {
    Page page(item);
    const bool leads_on = item.purpose == Purpose::follow;
    decide(item, response, leads_on && links.has_value(), page);
    keep(item, response, page.record, links);
    if (links && !leads_on) {
        take_ids(*links, page);
        return page;
    }
    try {
        if (links)
            choose(std::move(*links), item, page);
    } catch (const std::bad_alloc&) {
        throw; // not the page's failure
    } catch (const std::exception& error) {
        page.fail(error.what());
        keep_failure(item, page.record);
    }
    return page;
}

/// Is it alive? The links on its page make no difference.
void PageJudge::decide(const Item& item, const PageResponse& response, bool is_read,
                       Page& page) {
    if (response.earlier_tries > 0)
        page.record.tries = response.earlier_tries;
    read_headers(response, page);
    if (common::is_redirect(response.status))
        read_location(item, response, page);
    if (!response.error.empty()) {
        page.fail(response.error, page.is_foreign && response.is_refused
                                      ? Outcome::unclear
                                      : Outcome::failed);
    } else if (common::is_success(response.status) && !response.is_bot_wall) {
        const bool is_sheet =
            checks_.assets && common::is_style_sheet(response.content_type);
        page.record.outcome = is_read && !is_sheet ? Outcome::page : Outcome::file;
    }
}

/// For the next crawl, which judges it anew.
void PageJudge::keep(const Item& item, const PageResponse& response, const Record& record,
                     const std::optional<common::Links>& links) {
    if (answers_ == nullptr)
        return;
    const bool is_alive = !is_dead(record.outcome) && record.outcome != Outcome::unclear;
    if (response.is_bot_wall && record.outcome == Outcome::unclear) // no answer at all
        answers_->keep(item, failed_with(record.error), is_alive, nullptr);
    else
        answers_->keep(item, response, is_alive, links ? &*links : nullptr);
}

/// So that the next crawl asks for it again.
void PageJudge::keep_failure(const Item& item, const Record& record) {
    keep(item, failed_with(record.error), record, {});
}

Page PageJudge::judge_refusal(const Item& item, int tries) {
    Page page(item);
    if (item.url.is_malformed()) {
        const common::Malformation what = common::explain(item.url);
        page.fail(what.text, what.is_sure ? Outcome::failed : Outcome::unclear);
        return page;
    }
    const Refusal& refusal = *item.refusal;
    if (refusal.has_ended) { // nobody will know
        page.leave_open(refusal.reason);
        return page;
    }
    if (!refusal.failure) {
        page.fail(refusal.reason,
                  page.is_foreign ? Outcome::unclear : Outcome::disallowed);
        if (item.is_root)
            on_note_(fmt::format("{}: {}", name_of(item.url), refusal.reason));
        return page;
    }
    // No answer about robots.txt counts as no answer from the page itself.
    try {
        std::rethrow_exception(refusal.failure);
    } catch (const FetchError& error) {
        page.record.tries = page.is_foreign ? std::min(2, tries) : tries;
        page.fail(error.what(), page.is_foreign && error.is_distrust() ? Outcome::unclear
                                                                       : Outcome::failed);
    } catch (const std::bad_alloc&) {
        throw; // not the server's failure
    } catch (const std::exception& error) {
        page.fail(error.what());
    }
    keep_failure(item, page.record);
    return page;
}

void PageJudge::read_headers(const PageResponse& response, Page& page) const {
    const std::string_view type = response.content_type;
    Record& record = page.record;
    record.content_type = common::trim(type.substr(0, type.find(';')));
    record.charset = common::header_parameter(type, "charset");
    record.status = response.status;
    record.bytes = response.bytes;
    if (common::is_redirect(response.status))
        return;
    if (checks_.accepts(response.status)) {
        record.outcome = Outcome::file;
    } else if (response.is_bot_wall
               || (page.is_foreign ? is_unclear(response.status)
                                   : says_nothing(response))) {
        page.leave_open(describe_status(response, page.is_foreign));
    } else if (!common::is_success(response.status)) {
        page.fail(describe_status(response, page.is_foreign), Outcome::error);
    }
}

void PageJudge::read_location(const Item& item, const PageResponse& response,
                              Page& page) {
    const std::string& location = response.location;
    Record& record = page.record;
    record.outcome = Outcome::redirect;
    const std::optional<Url> target =
        location.empty() ? std::nullopt : common::resolve_url(location, item.url);
    if (const auto scheme = other_scheme(location); !target && !scheme.empty()) {
        record.next_url = location;
        if (is_dead_end(scheme))
            page.fail(fmt::format("redirect to {}:, which no browser follows", scheme),
                      Outcome::error);
        return;
    }
    if (!target) {
        page.fail(location.empty() ? "redirect without a target"
                                   : fmt::format("redirect to what is no URL: {}",
                                                 location.substr(0, 200)),
                  Outcome::error);
        return;
    }
    record.next_url = target->href();
    const auto purpose = purpose_of(*target, item.purpose == Purpose::follow);
    if (!purpose)
        return;
    std::string_view why;
    if (circles_.closes(item.url, *target))
        why = redirect_loop;
    else if (item.redirects_left == 0)
        why = "redirect limit reached";
    if (!why.empty()) {
        fail_redirect(record, why);
        return;
    }
    page.found.redirect = target;
    page.found.redirect_purpose = *purpose;
    page.found.redirect_has_fragment = location.find('#') != std::string::npos;
}

// [purpose]
/// Why to visit a URL, if at all; decided here, and nowhere else. `leads_on`: it's a
/// link, or a style sheet, and not, for example, a picture.
std::optional<Purpose> PageJudge::purpose_of(const Url& url, bool leads_on) const {
    if (url.is_malformed())
        return scope_->excludes(url) ? std::nullopt : std::optional(Purpose::check);
    if (scope_->contains(url))
        return leads_on ? Purpose::follow : Purpose::check;
    if (!checks_.foreign || !scope_->is_foreign(url))
        return {};
    return scope_->is_own_host(url) ? Purpose::check : Purpose::check_foreign;
}
// [/purpose]

/// If it has too many, there is no telling what is missing.
void PageJudge::take_ids(common::Links& links, Page& page) const {
    if (checks_.fragments && !links.has_more_ids)
        page.found.ids = std::move(links.ids);
}

/// All that isn't a link to follow.
void PageJudge::take_references(common::Links& links, const Item& item, Page& page) {
    for (common::OtherLink& other : links.others) {
        const bool leads_on =
            other.role == common::LinkRole::style_sheet || common::leads_on(other.role);
        const auto purpose = purpose_of(other.url, leads_on);
        const bool leads_into_trap =
            purpose == Purpose::follow && is_trap(other.url, item);
        if (purpose && !leads_into_trap)
            page.found.references.push_back(
                {.url = std::move(other.url), .role = other.role, .purpose = *purpose});
    }
    page.found.places = std::move(links.places);
    take_ids(links, page);
    if (checks_.fragments)
        page.found.fragments = std::move(links.fragments);
}

/// Chooses which links to follow, and what to check.
void PageJudge::choose(common::Links links, const Item& item, Page& page) {
    take_references(links, item, page);
    std::erase_if(links.urls, [&](const Url& link) { return is_trap(link, item); });
    page.record.links = links.urls.size();
    if (links.refreshes_to && links.urls.empty())
        page.record.next_url = links.refreshes_to->href();
    leave_out_beyond_limits(links, item);
    page.found.links = std::move(links.urls);
}

/// True if this link leads into a trap. The user hears about the first of each kind.
bool PageJudge::is_trap(const Url& link, const Item& item) {
    const std::string_view why = traps_.why_not(link, item.depth + 1);
    if (!why.empty() && count_left_out(left_out_, why, 1, name_of(link)))
        on_note_(fmt::format("{}: {} is left out, and so will be other links {}",
                             name_of(item.url), name_of(link), why));
    return !why.empty();
}

/// Counts what is on a page, but isn't followed or checked, though it might be in scope.
void PageJudge::leave_out(std::size_t links, const std::string& what, const Item& item) {
    if (links == 0)
        return;
    count_left_out_on(left_out_, what, links, name_of(item.url));
    on_note_(
        fmt::format("{}: left out: {}", name_of(item.url), counted_kind(links, what)));
}

void PageJudge::leave_out_beyond_limits(const common::Links& links, const Item& item) {
    const bool is_within = links.left_out + links.too_long + links.places_left_out == 0
                           && !links.has_more_ids;
    if (is_within) // as nearly always
        return;
    constexpr std::size_t mebi = std::size_t{1024} * 1024;
    leave_out(links.left_out,
              fmt::format("links beyond --max-links ({}), or {} MiB of URLs",
                          checks_.max_links, checks_.most_link_bytes() / mebi),
              item);
    leave_out(links.too_long, "links too long for URLs", item);
    leave_out(links.places_left_out,
              fmt::format("fragments beyond --max-fragments ({})", checks_.max_fragments),
              item);
    leave_out(links.has_more_ids ? 1 : 0, "pages with too many ids", item);
}

} // namespace stage3
