#include "stage3_queue_crawler/shared_frontier/redis_frontier.h"

#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"
#include "stage3_queue_crawler/shared_frontier/result_words.h"
#include "stage3_queue_crawler/shared_frontier/shared_fragments.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace stage3 {

namespace {

FrontierSession::Settings settings_of_sessions(const FrontierSettings& settings,
                                               const FrontierHelpers& helpers) {
    const auto or_zero = [](std::size_t limit) {
        return limit == FrontierSettings::no_limit ? 0 : limit;
    };
    return {.delay =
                std::chrono::ceil<std::chrono::microseconds>(settings.politeness.delay),
            .foreign_delay = std::chrono::ceil<std::chrono::microseconds>(
                helpers.checks.fixed_foreign_delay()),
            .max_per_host = or_zero(settings.politeness.max_per_host),
            .max_pages = or_zero(settings.max_pages),
            .refused_timeout = settings.refused_timeout,
            .obey_robots = helpers.robots != nullptr,
            .order = std::string(name_of(settings.order)),
            .roots = {}};
}

/// Of each server, in chunks.
std::vector<std::vector<std::string>> spread(const std::vector<common::Url>& roots,
                                             int max_redirects, std::size_t servers) {
    const LinkKind kind{.what = 'r', .depth = 0, .redirects_left = max_redirects};
    std::vector<std::vector<std::string>> chunks(servers);
    for (const Chunk& chunk : make_chunks(roots, kind, servers))
        chunks[chunk.server].push_back(chunk.text());
    return chunks;
}

} // namespace

RedisFrontier::RedisFrontier(EventLoop& loop, FrontierSettings settings,
                             FrontierHelpers helpers, SharedCrawl crawl)
    : loop_(loop), settings_(std::move(settings)), helpers_(std::move(helpers)),
      crawl_(std::move(crawl)), sessions_(loop, crawl_, *this),
      rules_(held_, sessions_, helpers_.robots) {}

Coroutine<> RedisFrontier::open(std::vector<common::Url> roots) {
    co_await sessions_.open(
        settings_of_sessions(settings_, helpers_),
        spread(roots, settings_.max_redirects, crawl_.servers.size()));
}

void RedisFrontier::add_listed(const std::vector<ListedUrl>& listed) {
    if (!listed.empty())
        throw std::invalid_argument("a shared crawl begins at its roots alone");
}

FrontierCounts RedisFrontier::counts() const {
    const SharedState all = state();
    return {.unfinished = std::max(all.unfinished, held_.out()),
            .out = held_.out(),
            .has_left_some = all.stage == SharedState::Stage::max_pages};
}

// ---- Items come in ----

/// While a URL is tried that may kill this process, nothing else may be suspected if it
/// does.
Wanted RedisFrontier::wanted(const FrontierSession& session, std::size_t soon) const {
    const auto& all = sessions_.all();
    const auto trial =
        std::ranges::find_if(all, [](const auto& one) { return one->is_on_trial(); });
    if (trial == all.end())
        return held_.wanted_by(waiting_, soon);
    return {.now = trial->get() == &session && held_.is_empty()
                       ? std::min<std::size_t>(waiting_.home, 1)
                       : 0};
}

Wanted RedisFrontier::take_wanted(const FrontierSession& session, std::size_t soon) {
    const Wanted items = wanted(session, soon);
    held_.expect(items);
    return items;
}

bool RedisFrontier::wants_some(const FrontierSession& session) const {
    return wanted(session).now > 0;
}

bool RedisFrontier::wants_some_foreign(const FrontierSession& session) const {
    return wanted(session).foreign > 0;
}

void RedisFrontier::on_items(FrontierSession& session, const Wanted& asked,
                             std::vector<Leased> items) {
    held_.expect_no_more(asked);
    for (Leased& item : items) {
        const std::optional<common::Url> url = url_of_word(item.url);
        if (!url)
            throw CantTakePart(
                fmt::format("'{}' is in the crawl, and is no URL", item.url));
        if (item.why.may_be_private && helpers_.session != nullptr)
            helpers_.session->allow_private();
        rules_.admit({.session = &session,
                      .url = *url,
                      .lease = std::move(item),
                      .since = loop_.time()});
    }
    for (const auto& other : sessions_.all()) // another server may have some
        if (wanted(*other).now > 0)
            other->look_up();
}

void RedisFrontier::on_hold(const FrontierSession& session) {
    held_.give_back_ahead(session);
}

void RedisFrontier::on_expired(const FrontierSession& session) { held_.forget(session); }

void RedisFrontier::on_state() { sessions_.note_state(); }

// ---- A worker takes one, and reports ----

Coroutine<Visit<RedisFrontier>> RedisFrontier::get() {
    if (waiting_.home++ == 0)
        for (const auto& session : sessions_.all())
            session->ask_soon();
    const AtExit left([this] { --waiting_.home; });
    Item item = co_await held_.next();
    co_return Visit<RedisFrontier>(*this, std::move(item));
}

Coroutine<Visit<RedisFrontier>> RedisFrontier::get_foreign() {
    if (waiting_.foreign++ == 0)
        for (const auto& session : sessions_.all())
            session->look_up();
    const AtExit left([this] { --waiting_.foreign; });
    Item item = co_await held_.next_foreign();
    co_return Visit<RedisFrontier>(*this, std::move(item));
}

void RedisFrontier::began(const Item& item) {
    const HeldItem* const held = held_.find(item.ticket);
    if (held != nullptr && held->lease.wants == Leased::Wants::begin)
        held->session->tell({"began", held->lease.url});
}

/// The record and the links go out together, with the next call.
void RedisFrontier::done(const Item& item, Record& record, const Found& found) {
    record.depth = item.depth;
    const std::optional<HeldItem> held = held_.let_go(item.ticket);
    if (!held)
        return; // another process has it now
    const std::size_t servers = crawl_.servers.size();
    const bool is_private =
        helpers_.session != nullptr && helpers_.session->may_be_private();
    std::vector<Chunk> chunks = chunks_of(item, held->lease.why.role, found,
                                          {.max_depth = settings_.max_depth,
                                           .max_redirects = settings_.max_redirects,
                                           .may_be_private = is_private},
                                          servers);
    const std::size_t here = server_of(held->lease.host, servers);
    const bool leads_elsewhere = std::ranges::any_of(
        chunks, [here](const Chunk& chunk) { return chunk.server != here; });
    std::string places =
        helpers_.checks.fragments ? describe_places(found) : std::string();
    held->session->tell_done(
        words_of_done(*held, record, std::move(places), std::move(chunks), here));
    if (leads_elsewhere)
        sessions_.carry_soon();
}

void RedisFrontier::put_off(const Item& item, EventLoop::Duration wait) {
    if (const std::optional<HeldItem> held = held_.let_go(item.ticket))
        held->session->tell(words_of_park(*held, item, wait));
}

void RedisFrontier::give_back(const Item& item) { held_.give_back(item.ticket); }

// ---- What hosts say about our pace ----

/// Goes out with what becomes of it.
void RedisFrontier::answered(const Item& item) {
    if (HeldItem* const held = held_.find(item.ticket))
        held->was_answered = true;
}

void RedisFrontier::refused(const Item& item, EventLoop::Duration wait) {
    tell_refused("refused", item, wait);
}

void RedisFrontier::busy(const Item& item, EventLoop::Duration wait) {
    tell_refused("busy", item, wait);
}

/// Before what becomes of the item: only while it's held does the server know when its
/// request was sent. If it's held no more, its host has to be left alone all the same.
void RedisFrontier::tell_refused(std::string how, const Item& item,
                                 EventLoop::Duration wait) {
    const std::string host = host_of(item.url);
    held_.give_back_ahead(sessions_.of(host), host);
    sessions_.of(host).tell(
        {std::move(how), host, std::string(item.url.href()), milliseconds(wait)});
}

void RedisFrontier::end_host(const std::string& host, const std::string& reason) {
    rules_.end_host(host, reason);
    held_.give_back_ahead(sessions_.of(host), host);
    sessions_.of(host).tell({"end", host, reason});
}

void RedisFrontier::hold(const std::string& host, EventLoop::Duration duration) {
    held_.give_back_ahead(sessions_.of(host), host);
    sessions_.of(host).tell({"hold", host, milliseconds(duration)});
}

void RedisFrontier::has_asked(const std::string& host) {
    sessions_.of(host).tell({"asked", host});
}

// ---- The end ----

Coroutine<> RedisFrontier::join(TimeLimit limit) {
    co_await sessions_.wait_until_over(limit);
    if (sessions_.failure()) {
        co_await close();
        std::rethrow_exception(sessions_.failure());
    }
}

Coroutine<> RedisFrontier::close() {
    sessions_.ask_for_no_more();
    if (helpers_.robots != nullptr)
        helpers_.robots->cancel_all();
    co_await sessions_.close();
}

Coroutine<bool> RedisFrontier::may_report() const {
    FrontierSession& first = *sessions_.all().front();
    std::vector<std::string> ask{"report", first.id()};
    const RedisReply who = co_await first.call(std::move(ask));
    co_return who.text == first.id();
}

} // namespace stage3
