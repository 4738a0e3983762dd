#include "stage3_queue_crawler/shared_frontier/frontier_sessions.h"

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/redis/redis_url.h"
#include "stage3_queue_crawler/shared_frontier/chunks.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

/// How long to wait for Redis at the end.
constexpr EventLoop::Duration longest_goodbye = 3s;

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

FrontierSessions::~FrontierSessions() { end_tasks(); }

void FrontierSessions::end_tasks() {
    for (auto* const tasks : {&talks_, &tasks_})
        for (Task<>& task : *tasks)
            task.cancel();
}

FrontierSession& FrontierSessions::of(const std::string& host) const {
    return *sessions_[server_of(host, sessions_.size())];
}

// ---- Beginning ----

Coroutine<> FrontierSessions::open(FrontierSession::Settings settings,
                                   std::vector<std::vector<std::string>> roots) {
    for (std::size_t i = 0; i < crawl_.servers.size(); ++i) {
        settings.roots = std::move(roots[i]);
        sessions_.push_back(
            std::make_unique<FrontierSession>(loop_, crawl_, i, settings, owner_));
    }
    for (const auto& session : sessions_) // before anything is written anywhere
        co_await session->look();
    co_await check_that_servers_differ(sessions_);
    co_await open_all();
    note_state();
    for (const auto& session : sessions_)
        talks_.push_back(create_task(guard(session->run()), "frontier"));
    if (sessions_.size() > 1) {
        outboxes_.emplace(sessions_);
        start(outboxes_->carry(), "outboxes");
    }
}

/// If one server refuses, leaves the others.
Coroutine<> FrontierSessions::open_all() {
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
Coroutine<> FrontierSessions::retry_given_up() {
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
Coroutine<> FrontierSessions::guard(Coroutine<> part) {
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

void FrontierSessions::start(Coroutine<> part, const char* name) {
    std::erase_if(tasks_, [](const Task<>& task) { return task.done(); });
    tasks_.push_back(create_task(guard(std::move(part)), name));
}

// ---- Taking part ----

void FrontierSessions::note_state() {
    if (state().is_over())
        over_.set();
}

SharedState FrontierSessions::state() const {
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

void FrontierSessions::carry_soon() {
    if (outboxes_)
        outboxes_->carry_soon();
}

// ---- The end ----

Coroutine<> FrontierSessions::wait_until_over(TimeLimit limit) {
    if (limit)
        co_await wait_for(over_.wait(), *limit);
    else
        co_await over_.wait();
}

void FrontierSessions::ask_for_no_more() {
    for (const auto& session : sessions_)
        session->close();
}

Coroutine<> FrontierSessions::close() {
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
Coroutine<> FrontierSessions::say_goodbye() {
    std::vector<Future<>> goodbyes;
    goodbyes.reserve(talks_.size());
    for (std::size_t i = 0; i < talks_.size(); ++i)
        goodbyes.push_back(create_task(leave(i), "goodbye"));
    co_await gather(std::move(goodbyes));
}

Coroutine<> FrontierSessions::leave(std::size_t server) {
    const std::vector<Task<>> talk{talks_[server]};
    const bool has_ended = co_await wait(talk, longest_goodbye / 3);
    if (!has_ended) // its call may be refused: leaving may be allowed
        talks_[server].cancel();
    co_await wait(talk);
    co_await sessions_[server]->leave();
}

} // namespace stage3
