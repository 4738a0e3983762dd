#include "stage3_queue_crawler/shared_frontier/redis_frontier.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

/// So many of a process's URLs may wait for robots.txt without being counted as its
/// workers' next ones.
constexpr std::size_t most_scouted = 100;
/// Rules of more than that are forgotten, and asked for again. In bytes.
constexpr std::size_t most_rules = std::size_t{32} * 1024 * 1024;
/// At the end, Redis is waited for so long.
constexpr EventLoop::Duration longest_goodbye = 3s;

std::string milliseconds(EventLoop::Duration time) {
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

/// What there is of a record that the script doesn't know: see `done` in frontier.lua.
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

/// What a robots.txt says, as the others get it: why a URL isn't allowed; the rules.
std::string to_text(const RobotsAnswer& answer) {
    return answer.reason + "\n" + answer.rules.text();
}

RobotsCache::Answer read_rules(const std::string& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view rules = std::string_view(text).substr(end);
    return std::make_shared<const RobotsAnswer>(
        RobotsAnswer{.rules = Robots::read_text(rules), .reason = text.substr(0, end)});
}

} // namespace

RedisFrontier::RedisFrontier(EventLoop& loop, FrontierSettings settings,
                             SharedCrawl crawl)
    : loop_(loop), settings_(std::move(settings)), crawl_(std::move(crawl)) {}

RedisFrontier::~RedisFrontier() { end_tasks(); }

void RedisFrontier::end_tasks() {
    for (auto* const tasks : {&talks_, &tasks_})
        for (Task<>& task : *tasks)
            task.cancel();
}

// ---- To begin ----

FrontierSession::Settings
RedisFrontier::session_settings(std::vector<std::string> roots) const {
    const auto or_zero = [](std::size_t limit) {
        return limit == FrontierSettings::no_limit ? 0 : limit;
    };
    return {.delay =
                std::chrono::ceil<std::chrono::microseconds>(settings_.politeness.delay),
            .max_per_host = or_zero(settings_.politeness.max_per_host),
            .max_pages = or_zero(settings_.max_pages),
            .obey_robots = settings_.ask_robots != nullptr,
            .order = std::string(name_of(settings_.order)),
            .roots = std::move(roots)};
}

FrontierSession::Owner RedisFrontier::owner_of(std::size_t server) {
    return {.take_wanted =
                [this](std::size_t most) {
                    const std::size_t count = std::min(wanted(), most);
                    asked_ += count;
                    return count;
                },
            .wants_some = [this] { return wanted() > 0; },
            .on_items =
                [this, server](std::size_t asked, std::vector<Leased> items) {
                    asked_ -= asked;
                    take_in(*sessions_[server], std::move(items));
                    if (wanted() > 0) // then others may have some
                        for (const auto& session : sessions_)
                            session->look_up();
                },
            .on_expired = [this, server] { forget(*sessions_[server]); },
            .on_state = [this] { note_state(); }};
}

void RedisFrontier::add_sessions(const std::vector<common::Url>& roots) {
    const LinkKind kind{
        .what = 'r', .depth = 0, .redirects_left = settings_.max_redirects};
    std::vector<std::vector<std::string>> chunks(crawl_.servers.size());
    for (Chunk& chunk : make_chunks(roots, kind, crawl_.servers.size()))
        chunks[chunk.first].push_back(std::move(chunk.second));
    for (std::size_t i = 0; i < crawl_.servers.size(); ++i)
        sessions_.push_back(std::make_unique<FrontierSession>(
            loop_, crawl_, i, session_settings(std::move(chunks[i])), owner_of(i)));
}

Coroutine<> RedisFrontier::open(std::vector<common::Url> roots) {
    add_sessions(roots);
    for (const auto& session : sessions_) // before anything is written anywhere
        co_await session->look();
    co_await check_that_servers_differ();
    co_await open_all();
    note_state();
    for (const auto& session : sessions_)
        talks_.push_back(create_task(guard(session->run()), "frontier"));
    if (sessions_.size() > 1) {
        outboxes_.emplace(sessions_);
        tasks_.push_back(create_task(guard(outboxes_->carry()), "outboxes"));
    }
}

/// Whoever is refused by one server leaves the others.
Coroutine<> RedisFrontier::open_all() {
    std::exception_ptr refused;
    try {
        for (const auto& session : sessions_)
            co_await session->open();
    } catch (const CantTakePart&) {
        refused = std::current_exception();
    }
    if (!refused)
        co_return;
    for (const auto& session : sessions_)
        co_await session->leave();
    std::rethrow_exception(refused);
}

/// One that was named twice would have each host in two places.
Coroutine<> RedisFrontier::check_that_servers_differ() {
    std::map<std::string, std::string> names;
    for (const auto& session : sessions_) {
        std::vector<std::string> info{"INFO", "server"};
        const RedisReply reply = co_await session->client().call(std::move(info));
        const RedisUrl& url = session->client().url();
        const auto begin = std::min(reply.text.find("run_id:"), reply.text.size());
        const std::string id =
            reply.text.substr(begin, reply.text.find('\r', begin) - begin)
            + fmt::format("/{}", url.database);
        const auto [other, is_new] = names.emplace(id, url.shown());
        if (!is_new)
            throw CantTakePart(fmt::format("--frontier: {} and {} are the same server",
                                           other->second, url.shown()));
    }
}

/// What goes wrong for good ends the crawl: `join` throws it.
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

void RedisFrontier::note_state() {
    if (state().is_over())
        over_.set();
}

SharedState RedisFrontier::state() const {
    SharedState all{.stage = SharedState::Stage::complete};
    for (const auto& session : sessions_) {
        const SharedState& one = session->state();
        if (one.stage != SharedState::Stage::complete)
            all.stage = one.stage; // a limit for pages there is only with one server
        all.unfinished += one.unfinished;
        all.records += one.records;
        all.known += one.known;
        all.dead += one.dead;
        all.held += one.held;
    }
    return all;
}

FrontierCounts RedisFrontier::counts() const {
    const SharedState all = state();
    return {.unfinished = std::max(all.unfinished, out_),
            .out = out_,
            .has_left_some = all.stage == SharedState::Stage::max_pages};
}

FrontierSession& RedisFrontier::session_of(const std::string& host) {
    return *sessions_[server_of(host, sessions_.size())];
}

// ---- Items come in ----

/// Items that are on their way to those who wait in `get`.
std::size_t RedisFrontier::on_the_way() const {
    return asked_ + held_.size() - out_ - std::min(scouted_, most_scouted);
}

std::size_t RedisFrontier::wanted() const {
    if (is_closed_)
        return 0;
    return waiting_ - std::min(waiting_, on_the_way());
}

void RedisFrontier::take_in(FrontierSession& session, std::vector<Leased> items) {
    for (Leased& item : items) {
        const std::optional<common::Url> url = common::parse_url(item.url);
        if (!url)
            throw CantTakePart(
                fmt::format("'{}' is in the crawl, and is no URL", item.url));
        const Ticket ticket = ++last_ticket_;
        const bool wants_rules = item.wants == Leased::Wants::rules;
        held_.emplace(ticket, Held{.session = &session,
                                   .url = *url,
                                   .item = std::move(item),
                                   .since = loop_.time()});
        if (wants_rules)
            scout(ticket, *url);
        else
            judge(ticket);
    }
}

/// Nobody knows yet what this host's robots.txt says, and all others wait until we do.
void RedisFrontier::scout(Ticket ticket, const common::Url& url) {
    Held& held = held_.at(ticket);
    held.is_scouted = true;
    ++scouted_;
    held.answer =
        std::make_unique<CancelAtExit>(settings_.ask_robots(url).add_done_callback(
            [this, ticket](const auto& answer) { take_answer(ticket, answer); }));
}

/// Then the others are told. The item stands in line again: to ask for robots.txt, too,
/// was a request, after which the host may want a pause.
void RedisFrontier::take_answer(Ticket ticket,
                                const Future<RobotsCache::Answer>& answer) {
    Held& held = held_.at(ticket);
    held.is_scouted = false;
    --scouted_;
    if (answer.has_failed() && !answer.cancelled()) {
        let_in(ticket, std::make_shared<const Refusal>(
                           Refusal{.reason = {}, .failure = answer.exception()}));
        return;
    }
    if (!answer.has_failed()) {
        const RobotsAnswer& says = *answer.result();
        const auto delay = says.rules.crawl_delay().value_or(Robots::Duration());
        keep_rules(held.item.host, answer.result());
        tell(held, {"rules", held.item.url,
                    milliseconds(std::chrono::ceil<EventLoop::Duration>(delay)),
                    to_text(says)});
    }
    tell(held, {"back", held.item.url});
    drop(ticket);
}

/// What another process has found out.
Coroutine<> RedisFrontier::find_rules(Ticket ticket) {
    const std::string host = held_.at(ticket).item.host;
    FrontierSession& session = *held_.at(ticket).session;
    std::vector<std::string> ask{"HGET", session.key("rules"), host};
    const RedisReply rules = co_await session.client().call(std::move(ask));
    if (rules.is_null) // never "all is allowed", because we don't know
        throw std::runtime_error("what the robots.txt of " + host + " says is gone");
    keep_rules(host, read_rules(rules.text));
    if (held_.contains(ticket))
        judge(ticket);
}

void RedisFrontier::keep_rules(const std::string& host, RobotsCache::Answer answer) {
    if (rules_bytes_ > most_rules) {
        rules_.clear();
        rules_bytes_ = 0;
    }
    rules_bytes_ += host.size() + answer->rules.memory();
    rules_.insert_or_assign(host, std::move(answer));
}

/// May it be fetched?
void RedisFrontier::judge(Ticket ticket) {
    const Held& held = held_.at(ticket);
    if (!settings_.ask_robots) {
        let_in(ticket, nullptr);
        return;
    }
    const auto rules = rules_.find(held.item.host);
    if (rules == rules_.end()) {
        std::erase_if(tasks_, [](const Task<>& task) { return task.done(); });
        tasks_.push_back(create_task(guard(find_rules(ticket)), "rules"));
        return;
    }
    const RobotsAnswer& says = *rules->second;
    std::shared_ptr<const Refusal> refusal;
    if (!says.rules.allows(held.url.target()))
        refusal = std::make_shared<const Refusal>(
            Refusal{.reason = says.reason, .failure = nullptr});
    let_in(ticket, std::move(refusal));
}

/// The next who asks gets it.
void RedisFrontier::let_in(Ticket ticket, std::shared_ptr<const Refusal> refusal) {
    const Leased& item = held_.at(ticket).item;
    Work work(held_.at(ticket).url);
    work.depth = item.depth;
    work.redirects_left = item.redirects_left;
    work.tries = item.tries;
    work.is_root = item.is_root;
    work.ticket = ticket;
    work.refusal = std::move(refusal);
    ready_.put_nowait(std::move(work));
}

Coroutine<Visit<RedisFrontier>> RedisFrontier::get() {
    if (waiting_++ == 0)
        for (const auto& session : sessions_)
            session->ask_soon();
    const AtExit left([this] { --waiting_; });
    while (true) {
        Work work = co_await ready_.get();
        const auto held = held_.find(work.ticket);
        if (held == held_.end())
            continue; // our session had ended: somebody else has it now
        if (held->second.session->is_too_old(held->second.since)) {
            give_back(work); // we stood still, and perhaps somebody else has it
            continue;
        }
        held->second.is_out = true;
        ++out_;
        if (!work.refusal || work.refusal->failure)
            ++work.tries; // to be told no is no try
        work.was_tried = true;
        work.begun = loop_.time();
        co_return Visit<RedisFrontier>(*this, std::move(work));
    }
}

// ---- What came of them ----

void RedisFrontier::tell(const Held& held, std::vector<std::string> result) {
    held.session->tell(std::move(result));
}

/// This process doesn't hold it any more.
void RedisFrontier::drop(Ticket ticket) {
    const auto held = held_.find(ticket);
    if (held->second.is_out)
        --out_;
    if (held->second.is_scouted)
        --scouted_;
    held_.erase(held);
}

/// Our session there has ended, and with it all that we held.
void RedisFrontier::forget(const FrontierSession& session) {
    std::vector<Ticket> gone;
    for (const auto& [ticket, held] : held_)
        if (held.session == &session)
            gone.push_back(ticket);
    for (const Ticket ticket : gone)
        drop(ticket);
}

void RedisFrontier::began(const Work& work) {
    const auto held = held_.find(work.ticket);
    if (held != held_.end() && held->second.item.wants == Leased::Wants::begin)
        tell(held->second, {"began", held->second.item.url});
}

/// The record and the links go out together, with the next call.
void RedisFrontier::done(const Work& work, Record& record, const Found& found) {
    record.depth = work.depth;
    const auto held = held_.find(work.ticket);
    if (held == held_.end())
        return; // somebody else has it now
    const std::size_t servers = sessions_.size();
    const bool too_deep = work.depth >= settings_.max_depth;
    std::vector<Chunk> chunks = make_chunks(found.links,
                                            {.what = too_deep ? 'd' : 'l',
                                             .depth = work.depth + 1,
                                             .redirects_left = settings_.max_redirects},
                                            servers);
    if (found.redirect)
        for (Chunk& chunk : make_chunks({&*found.redirect, 1},
                                        {.what = 'r',
                                         .depth = work.depth,
                                         .redirects_left = work.redirects_left - 1},
                                        servers))
            chunks.push_back(std::move(chunk));
    send_done(held->second, record, std::move(chunks));
    drop(work.ticket);
}

void RedisFrontier::send_done(const Held& held, const Record& record,
                              std::vector<Chunk> chunks) {
    const std::size_t here = server_of(held.item.host, sessions_.size());
    std::vector<std::string> mine;
    std::vector<std::string> others; // and for whom
    for (Chunk& chunk : chunks) {
        if (chunk.first != here)
            others.push_back(std::to_string(chunk.first));
        (chunk.first == here ? mine : others).push_back(std::move(chunk.second));
    }
    std::vector<std::string> words{"done", held.item.url};
    append(record, words);
    words.push_back(std::to_string(others.size() / 2));
    std::ranges::move(others, std::back_inserter(words));
    words.push_back(std::to_string(mine.size()));
    std::ranges::move(mine, std::back_inserter(words));
    tell(held, std::move(words));
    if (outboxes_ && !others.empty())
        outboxes_->carry_soon();
}

void RedisFrontier::put_off(const Work& work, EventLoop::Duration wait) {
    const auto held = held_.find(work.ticket);
    if (held == held_.end())
        return;
    tell(held->second,
         {"park", held->second.item.url, milliseconds(wait), std::to_string(work.tries)});
    drop(work.ticket);
}

void RedisFrontier::give_back(const Work& work) {
    const auto held = held_.find(work.ticket);
    if (held == held_.end())
        return;
    tell(held->second, {"back", held->second.item.url});
    drop(work.ticket);
}

void RedisFrontier::hold(const std::string& host, EventLoop::Duration duration) {
    session_of(host).tell({"hold", host, milliseconds(duration)});
}

void RedisFrontier::set_delay(const std::string& host, EventLoop::Duration delay) {
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
    is_closed_ = true;
    settings_.withdraw_questions();
    std::exception_ptr cancelled;
    try {
        co_await wait_for(say_goodbye(), longest_goodbye);
    } catch (const Cancelled&) {
        cancelled = std::current_exception(); // first, none of our tasks must be left
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

/// To all at once: one that doesn't answer shouldn't keep us from the others.
Coroutine<> RedisFrontier::say_goodbye() {
    std::vector<Future<>> goodbyes;
    goodbyes.reserve(talks_.size());
    for (std::size_t i = 0; i < talks_.size(); ++i)
        goodbyes.push_back(create_task(leave(i), "goodbye"));
    co_await gather(std::move(goodbyes));
}

Coroutine<> RedisFrontier::leave(std::size_t server) {
    sessions_[server]->close();
    const std::vector<Task<>> talk{talks_[server]};
    const bool has_ended = co_await wait(talk, longest_goodbye / 3);
    if (!has_ended) // its call is refused, perhaps: to leave may be allowed
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
