#include "stage3_queue_crawler/shared_frontier/redis_frontier.h"

#include "stage3_queue_crawler/crawler/host.h"
#include "stage3_queue_crawler/crawler/order.h"
#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/redis/redis_url.h"
#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "stage3_queue_crawler/shared_frontier/shared_fragments.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

/// How long to wait for Redis at the end.
constexpr EventLoop::Duration longest_goodbye = 3s;

/// Items that one call may ask for, for workers that wait.
constexpr std::size_t most_at_once = 1000;

/// Those fields of a record that the script doesn't know: see `done` in frontier.lua.
void append(const Record& record, std::vector<std::string>& words) {
    words.emplace_back(name_of(record.outcome));
    words.push_back(record.status != 0 ? std::to_string(record.status) : "");
    words.push_back(record.next_url);
    words.push_back(record.error);
    words.push_back(record.content_type);
    words.push_back(record.charset);
    words.push_back(std::to_string(record.bytes));
    words.push_back(std::to_string(record.links));
    words.push_back(std::to_string(record.tries));
    words.push_back(fmt::format("{:.6f}", record.seconds));
}

/// For `done` and `park`.
std::string reaction(const HeldItem& item) { return item.was_answered ? "a" : "-"; }

FrontierSession::Settings settings_of_session(const FrontierSettings& settings,
                                              std::vector<std::string> roots) {
    const auto or_zero = [](std::size_t limit) {
        return limit == FrontierSettings::no_limit ? 0 : limit;
    };
    return {
        .delay = std::chrono::ceil<std::chrono::microseconds>(settings.politeness.delay),
        .foreign_delay =
            std::chrono::ceil<std::chrono::microseconds>(settings.checks.foreign_delay),
        .max_per_host = or_zero(settings.politeness.max_per_host),
        .max_pages = or_zero(settings.max_pages),
        .refused_timeout = settings.refused_timeout,
        .obey_robots = settings.ask_robots != nullptr,
        .order = std::string(name_of(settings.order)),
        .roots = std::move(roots)};
}

/// What a Redis says about itself; empty if we may not ask.
Coroutine<std::string> info_of(RedisClient& client) {
    try {
        std::vector<std::string> info{"INFO", "server"};
        const RedisReply reply = co_await client.call(std::move(info));
        co_return reply.text;
    } catch (const RedisError& error) {
        if (error.code() != "NOPERM")
            throw;
        co_return std::string();
    }
}

/// Throws CantTakePart if one was named twice. (If we can't know, the script refuses the
/// second one: it's another number, and so another setting.)
Coroutine<> check_that_servers_differ(const Outboxes::Sessions& sessions) {
    std::map<std::string, std::string> names;
    for (const auto& session : sessions) {
        const std::string info = co_await info_of(session->client());
        if (info.empty())
            continue;
        const RedisUrl& url = session->client().url();
        const auto begin = std::min(info.find("run_id:"), info.size());
        const std::string id = info.substr(begin, info.find('\r', begin) - begin)
                               + fmt::format("/{}", url.database);
        const auto [other, is_new] = names.emplace(id, url.shown());
        if (!is_new)
            throw CantTakePart(fmt::format("--frontier: {} and {} are the same server",
                                           other->second, url.shown()));
    }
}

} // namespace

RedisFrontier::RedisFrontier(EventLoop& loop, FrontierSettings settings,
                             SharedCrawl crawl)
    : loop_(loop), settings_(std::move(settings)), crawl_(std::move(crawl)),
      rules_(
          held_, settings_.ask_robots,
          [this](Ticket ticket, std::shared_ptr<const Refusal> refusal) {
              let_in(ticket, std::move(refusal));
          },
          [this](Coroutine<> reading) {
              std::erase_if(tasks_, [](const Task<>& task) { return task.done(); });
              tasks_.push_back(create_task(guard(std::move(reading)), "rules"));
          }) {}

RedisFrontier::~RedisFrontier() { end_tasks(); }

void RedisFrontier::end_tasks() {
    for (auto* const tasks : {&talks_, &tasks_})
        for (Task<>& task : *tasks)
            task.cancel();
}

// ---- Beginning ----

void RedisFrontier::add_sessions(const std::vector<common::Url>& roots) {
    const LinkKind kind{
        .what = 'r', .depth = 0, .redirects_left = settings_.max_redirects};
    std::vector<std::vector<std::string>> chunks(crawl_.servers.size());
    for (const Chunk& chunk : make_chunks(roots, kind, crawl_.servers.size()))
        chunks[chunk.server].push_back(chunk.text());
    SessionOwner& owner = *this;
    for (std::size_t i = 0; i < crawl_.servers.size(); ++i)
        sessions_.push_back(std::make_unique<FrontierSession>(
            loop_, crawl_, i, settings_of_session(settings_, std::move(chunks[i])),
            owner));
}

Coroutine<> RedisFrontier::open(std::vector<common::Url> roots) {
    add_sessions(roots);
    for (const auto& session : sessions_) // before anything is written anywhere
        co_await session->look();
    co_await check_that_servers_differ(sessions_);
    co_await open_all();
    on_state();
    for (const auto& session : sessions_)
        talks_.push_back(create_task(guard(session->run()), "frontier"));
    if (sessions_.size() > 1) {
        outboxes_.emplace(sessions_);
        tasks_.push_back(create_task(guard(outboxes_->carry()), "outboxes"));
    }
}

/// If one server refuses, leaves the others.
Coroutine<> RedisFrontier::open_all() {
    std::exception_ptr refused;
    try {
        for (const auto& session : sessions_)
            co_await session->open();
        if (crawl_.retry_given_up)
            co_await retry_given_up();
    } catch (const CantTakePart&) {
        refused = std::current_exception();
    }
    if (!refused)
        co_return;
    for (const auto& session : sessions_)
        co_await session->leave();
    std::rethrow_exception(refused);
}

/// On all servers, if any has given up something: the crawl is no longer over on any.
Coroutine<> RedisFrontier::retry_given_up() {
    const std::size_t count = state().given_up;
    std::string what = "nothing";
    if (count == 1)
        what = "1 URL, which is tried again, alone";
    else if (count > 1)
        what = fmt::format("{} URLs, which are tried again, one by one", count);
    crawl_.on_note(fmt::format("the crawl '{}' has given up {}", crawl_.name, what));
    if (count == 0)
        co_return;
    for (const auto& session : sessions_)
        co_await session->retry();
}

/// A permanent failure ends the crawl: `join` throws it.
Coroutine<> RedisFrontier::guard(Coroutine<> part) {
    try {
        co_await std::move(part);
        co_return;
    } catch (const Cancelled&) {
        throw;
    } catch (const RedisError& error) {
        failure_ = std::make_exception_ptr(
            std::runtime_error(explain_refusal(error, crawl_.name)));
    } catch (const std::exception&) {
        failure_ = std::current_exception();
    }
    over_.set();
}

void RedisFrontier::on_state() {
    if (state().is_over())
        over_.set();
}

SharedState RedisFrontier::state() const {
    SharedState all{.stage = SharedState::Stage::complete};
    for (const auto& session : sessions_) {
        const SharedState& one = session->state();
        if (one.stage != SharedState::Stage::complete)
            all.stage = one.stage; // max_pages needs a single server
        all.unfinished += one.unfinished;
        all.records += one.records;
        all.known += one.known;
        all.dead += one.dead;
        all.held += one.held;
        all.given_up += one.given_up;
    }
    return all;
}

FrontierCounts RedisFrontier::counts() const {
    const SharedState all = state();
    return {.unfinished = std::max(all.unfinished, held_.out()),
            .out = held_.out(),
            .has_left_some = all.stage == SharedState::Stage::max_pages};
}

FrontierSession& RedisFrontier::session_of(const std::string& host) {
    return *sessions_[server_of(host, sessions_.size())];
}

// ---- Items come in ----

/// How many more items from that server the workers waiting in `get` could take, and how
/// many of the `soon` that they need next aren't here or on their way. While a URL is
/// tried that may kill this process, nothing else may be suspected if it does.
Wanted RedisFrontier::wanted(const FrontierSession& from, std::size_t soon) const {
    const auto trial = std::ranges::find_if(
        sessions_, [](const auto& session) { return session->is_on_trial(); });
    if (trial != sessions_.end())
        return {.now = trial->get() == &from && held_.is_empty()
                           ? std::min<std::size_t>(waiting_, 1)
                           : 0};
    const std::size_t on_the_way = held_.on_the_way();
    const std::size_t now = waiting_ - std::min(waiting_, on_the_way);
    const std::size_t spare = on_the_way - std::min(waiting_, on_the_way);
    return {.now = std::min(now, most_at_once),
            .ahead = soon - std::min(soon, spare),
            .foreign = waiting_foreign_
                       - std::min(waiting_foreign_, held_.foreign_on_the_way())};
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
    take_in(session, std::move(items));
    for (const auto& other : sessions_) // another server may have some
        if (wanted(*other).now > 0)
            other->look_up();
}

void RedisFrontier::on_hold(const FrontierSession& session) {
    held_.give_back_ahead(session);
}

void RedisFrontier::on_expired(const FrontierSession& session) { held_.forget(session); }

void RedisFrontier::take_in(FrontierSession& session, std::vector<Leased> items) {
    for (Leased& item : items) {
        const std::optional<common::Url> url = common::parse_url(item.url);
        if (!url)
            throw CantTakePart(
                fmt::format("'{}' is in the crawl, and is no URL", item.url));
        if (item.why.may_be_private)
            settings_.note_private_site();
        const bool has_ended = item.wants == Leased::Wants::end;
        if (has_ended)
            note_ended(item.host, item.ended);
        const Ticket ticket = held_.add({.session = &session,
                                         .url = *url,
                                         .lease = std::move(item),
                                         .since = loop_.time()});
        if (has_ended)
            let_in(ticket, nullptr);
        else
            rules_.admit(ticket);
    }
}

/// From now on, its items carry a refusal, whatever its robots.txt says.
void RedisFrontier::note_ended(const std::string& host, const std::string& reason) {
    if (!ended_.contains(host))
        ended_.emplace(
            host, std::make_shared<const Refusal>(
                      Refusal{.reason = reason, .failure = nullptr, .has_ended = true}));
}

/// The next worker that asks gets it.
void RedisFrontier::let_in(Ticket ticket, std::shared_ptr<const Refusal> refusal) {
    const HeldItem& held = held_.at(ticket);
    Item item(held.url);
    item.depth = held.lease.depth;
    item.redirects_left = held.lease.redirects_left;
    item.tries = static_cast<std::int16_t>(held.lease.tries);
    item.refusals = static_cast<std::int16_t>(held.lease.refusals);
    item.is_root = held.lease.is_root;
    item.purpose = held.lease.why.purpose;
    item.ticket = ticket;
    const auto ended = ended_.find(held.lease.host);
    item.refusal = ended == ended_.end() ? std::move(refusal) : ended->second;
    (held.is_foreign() ? ready_foreign_ : ready_).put_nowait(std::move(item));
}

Coroutine<Visit<RedisFrontier>> RedisFrontier::get() {
    if (waiting_++ == 0)
        for (const auto& session : sessions_)
            session->ask_soon();
    const AtExit left([this] { --waiting_; });
    co_return co_await get_from(ready_);
}

Coroutine<Visit<RedisFrontier>> RedisFrontier::get_foreign() {
    if (waiting_foreign_++ == 0)
        for (const auto& session : sessions_)
            session->look_up();
    const AtExit left([this] { --waiting_foreign_; });
    co_return co_await get_from(ready_foreign_);
}

Coroutine<Visit<RedisFrontier>> RedisFrontier::get_from(Queue<Item>& ready) {
    while (true) {
        Item item = co_await ready.get();
        HeldItem* const held = held_.find(item.ticket);
        if (held == nullptr)
            continue; // our session had ended: another process has it now
        if (held->session->is_too_old(held->since)) {
            held_.give_back(item.ticket); // we were stopped: another process may have it
            continue;
        }
        held_.take_out(*held);
        if (!item.refusal || item.refusal->failure)
            ++item.tries; // being refused isn't a try
        item.was_tried = true;
        item.begun = loop_.time();
        co_return Visit<RedisFrontier>(*this, std::move(item));
    }
}

// ---- Results ----

void RedisFrontier::began(const Item& item) {
    const HeldItem* const held = held_.find(item.ticket);
    if (held != nullptr && held->lease.wants == Leased::Wants::begin)
        held->session->tell({"began", held->lease.url});
}

/// The record and the links go out together, with the next call.
void RedisFrontier::done(const Item& item, Record& record, const Found& found) {
    record.depth = item.depth;
    const HeldItem* const held = held_.find(item.ticket);
    if (held == nullptr)
        return; // another process has it now
    send_done(*held, record,
              settings_.checks.fragments ? describe_places(found) : std::string(),
              chunks_of(item, held->lease.why.role, found));
    held_.drop(item.ticket);
}

/// `role`: how the page itself was met.
std::vector<Chunk> RedisFrontier::chunks_of(const Item& item, common::LinkRole role,
                                            const Found& found) const {
    std::vector<Chunk> chunks;
    const auto add = [&](std::span<const common::Url> links, const LinkKind& kind) {
        std::ranges::move(make_chunks(links, kind, sessions_.size()),
                          std::back_inserter(chunks));
    };
    const auto why_of = [&](Purpose purpose, common::LinkRole as) {
        const bool may_be_private =
            purpose == Purpose::check_foreign && settings_.is_site_private();
        return Why{.purpose = purpose, .role = as, .may_be_private = may_be_private};
    };
    const auto kind_of = [&](const Why& why) {
        // What belongs to a page isn't further away from a root.
        const bool is_link = common::leads_on(why.role);
        const bool too_deep = is_link && item.depth >= settings_.max_depth;
        return LinkKind{.what = too_deep ? 'd' : 'l',
                        .depth = item.depth + (is_link ? 1 : 0),
                        .redirects_left = settings_.max_redirects,
                        .why = why};
    };
    add(found.links, kind_of({}));
    std::map<Why, std::vector<common::Url>> others;
    for (const Reference& one : found.references)
        others[why_of(one.purpose, one.role)].push_back(one.url);
    for (const auto& [why, urls] : others)
        add(urls, kind_of(why));
    if (found.redirect)
        add({&*found.redirect, 1}, {.what = 'r',
                                    .depth = item.depth,
                                    .redirects_left = item.redirects_left - 1,
                                    .why = why_of(found.redirect_purpose, role)});
    return chunks;
}

void RedisFrontier::send_done(const HeldItem& item, const Record& record,
                              std::string places, std::vector<Chunk> chunks) {
    const std::size_t here = server_of(item.lease.host, sessions_.size());
    std::vector<std::string> words{"done", item.lease.url};
    append(record, words);
    words.push_back(std::move(places));
    words.emplace_back(reaction(item));
    const auto is_other = [here](const Chunk& chunk) { return chunk.server != here; };
    const auto others = static_cast<std::size_t>(std::ranges::count_if(chunks, is_other));
    words.push_back(std::to_string(others));
    for (const Chunk& chunk : chunks | std::views::filter(is_other)) {
        words.push_back(std::to_string(chunk.server));
        words.push_back(chunk.text());
    }
    words.push_back(std::to_string(chunks.size() - others));
    for (Chunk& chunk : chunks) {
        if (is_other(chunk))
            continue;
        words.push_back(std::move(chunk.kind));
        words.push_back(std::move(chunk.hosts));
        words.push_back(std::to_string(chunk.urls.size()));
        std::ranges::move(chunk.urls, std::back_inserter(words));
    }
    item.session->tell_done(std::move(words));
    if (outboxes_ && others > 0)
        outboxes_->carry_soon();
}

void RedisFrontier::put_off(const Item& item, EventLoop::Duration wait) {
    const HeldItem* const held = held_.find(item.ticket);
    if (held == nullptr)
        return;
    held->session->tell({"park", held->lease.url, milliseconds(wait),
                         std::to_string(item.tries), std::to_string(item.refusals),
                         reaction(*held)});
    held_.drop(item.ticket);
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
    held_.give_back_ahead(session_of(host), host);
    session_of(host).tell(
        {std::move(how), host, std::string(item.url.href()), milliseconds(wait)});
}

void RedisFrontier::end_host(const std::string& host, const std::string& reason) {
    note_ended(host, reason);
    held_.give_back_ahead(session_of(host), host);
    session_of(host).tell({"end", host, reason});
}

void RedisFrontier::hold(const std::string& host, EventLoop::Duration duration) {
    held_.give_back_ahead(session_of(host), host);
    session_of(host).tell({"hold", host, milliseconds(duration)});
}

void RedisFrontier::set_delay(const std::string& host, EventLoop::Duration delay) {
    held_.give_back_ahead(session_of(host), host);
    session_of(host).tell({"delay", host, milliseconds(delay)});
}

void RedisFrontier::has_asked(const std::string& host) {
    session_of(host).tell({"asked", host});
}

// ---- The end ----

Coroutine<> RedisFrontier::join(TimeLimit limit) {
    if (limit)
        co_await wait_for(over_.wait(), *limit);
    else
        co_await over_.wait();
    if (failure_) {
        co_await close();
        std::rethrow_exception(failure_);
    }
}

Coroutine<> RedisFrontier::close() {
    for (const auto& session : sessions_)
        session->close(); // from here on, none asks for items
    settings_.withdraw_questions();
    std::exception_ptr cancelled;
    try {
        co_await wait_for(say_goodbye(), longest_goodbye);
    } catch (const Cancelled&) {
        cancelled = std::current_exception(); // but first, our tasks must end
    } catch (const Timeout&) {
        crawl_.on_note(fmt::format("Redis doesn't answer: what this process held goes to "
                                   "others when its lease has ended, in {} s",
                                   crawl_.lease.count() / 1000));
    } catch (const std::exception& error) {
        if (!failure_)
            crawl_.on_note(error.what());
    }
    end_tasks();
    co_await wait(talks_);
    co_await wait(tasks_);
    if (cancelled)
        std::rethrow_exception(cancelled);
}

/// To all at once: one that doesn't answer mustn't keep us from the others.
Coroutine<> RedisFrontier::say_goodbye() {
    std::vector<Future<>> goodbyes;
    goodbyes.reserve(talks_.size());
    for (std::size_t i = 0; i < talks_.size(); ++i)
        goodbyes.push_back(create_task(leave(i), "goodbye"));
    co_await gather(std::move(goodbyes));
}

Coroutine<> RedisFrontier::leave(std::size_t server) {
    const std::vector<Task<>> talk{talks_[server]};
    const bool has_ended = co_await wait(talk, longest_goodbye / 3);
    if (!has_ended) // its call may be refused: leaving may be allowed
        talks_[server].cancel();
    co_await wait(talk);
    co_await sessions_[server]->leave();
}

Coroutine<bool> RedisFrontier::may_report() const {
    FrontierSession& first = *sessions_.front();
    std::vector<std::string> ask{"report", first.id()};
    const RedisReply who = co_await first.call(std::move(ask));
    co_return who.text == first.id();
}

} // namespace stage3
