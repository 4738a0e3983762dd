#include "stage3_queue_crawler/shared_frontier/frontier_session.h"

#include "stage3_queue_crawler/runtime/task/wait.h"
#include "stage3_queue_crawler/shared_frontier/frontier_script.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

constexpr std::string_view format = "5"; // of what is kept in Redis
/// In bytes: one call sends no more, unless a single result is larger.
constexpr std::size_t most_told = std::size_t{256} * 1024;
constexpr EventLoop::Duration shortest_pause = 5ms;
constexpr EventLoop::Duration longest_pause = 200ms;
constexpr std::size_t most_ahead = 1000;
/// While no worker waits, results are collected for so long.
constexpr EventLoop::Duration collecting = 5ms;

std::string microseconds(std::chrono::microseconds time) {
    return std::to_string(time.count());
}

/// The state in `reply`, from `place` on: see `summary` in frontier/1_meta.lua.
SharedState read_state(const RedisReply& reply, std::size_t place) {
    const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(reply.items.at(place + i).number());
    };
    return {.stage = stage_named(reply.items.at(place).text),
            .unfinished = number(1),
            .records = number(2),
            .known = number(3),
            .dead = number(4),
            .held = number(5),
            .given_up = number(6),
            .holds = number(7)};
}

std::string to_text(const Wanted& wanted) {
    return fmt::format("{} {} {}", wanted.now, wanted.ahead, wanted.foreign);
}

/// The first line that is in `ours` but not in `theirs`.
std::string first_difference(const std::string& ours, const std::string& theirs) {
    std::istringstream lines(ours);
    for (std::string line; std::getline(lines, line);)
        if (("\n" + theirs + "\n").find("\n" + line + "\n") == std::string::npos)
            return line;
    return {};
}

std::string random_text(const EventLoop& loop) {
    return fmt::format("{:08x}{:08x}", loop.random(), loop.random());
}

} // namespace

std::string milliseconds(EventLoop::Duration time) {
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

FrontierSession::FrontierSession(EventLoop& loop, const SharedCrawl& crawl,
                                 std::size_t number, Settings settings,
                                 SessionOwner& owner)
    : loop_(loop), crawl_(crawl), settings_(std::move(settings)), owner_(owner),
      client_(loop, crawl.servers.at(number),
              {.longest_pause = std::min<EventLoop::Duration>(1s, crawl.lease / 6),
               .wait_at_start = crawl.wait_for_servers,
               .on_note = crawl.on_note}),
      agreed_(fmt::format("{}\nserver {} of {}", crawl.agreed, number + 1,
                          crawl.servers.size())) {}

std::string FrontierSession::key(std::string_view name) const {
    return fmt::format("{{{}}}:{}", crawl_.name, name);
}

Coroutine<RedisReply> FrontierSession::call(std::vector<std::string> arguments) {
    std::vector<std::string> keys{key("meta")};
    return client_.run(std::string(frontier_script()), std::move(keys),
                       std::move(arguments));
}

// ---- Beginning ----

std::vector<std::string>
FrontierSession::open_arguments(std::string_view operation) const {
    std::vector<std::string> arguments{
        std::string(operation),
        std::string(format),
        agreed_,
        microseconds(crawl_.lease),
        microseconds(settings_.delay),
        std::to_string(settings_.max_per_host),
        std::to_string(settings_.max_pages),
        std::to_string(crawl_.most_lost),
        std::to_string(crawl_.servers.size()),
        settings_.obey_robots ? "1" : "0",
        settings_.order,
        microseconds(settings_.foreign_delay),
        microseconds(settings_.refused_timeout),
        random_text(loop_),
        crawl_.process,
        id_,
        std::to_string(settings_.roots.size()),
    };
    arguments.insert(arguments.end(), settings_.roots.begin(), settings_.roots.end());
    return arguments;
}

/// Throws if the reply says that the others have agreed on something else.
void FrontierSession::refuse(const RedisReply& reply) const {
    if (reply.items.at(0).text == "ok")
        return;
    const std::string& theirs = reply.items.at(1).text;
    const std::string ours_only = first_difference(agreed_, theirs);
    const std::string theirs_only = first_difference(theirs, agreed_);
    throw CantTakePart(fmt::format(
        "the crawl '{}' was begun with other settings: with {}, where this is {}; give "
        "the same, or another --crawl",
        crawl_.name, theirs_only.empty() ? "less" : theirs_only,
        ours_only.empty() ? "without" : ours_only));
}

Coroutine<> FrontierSession::look() {
    try {
        co_await client_.check();
        const RedisReply reply = co_await call(open_arguments("look"));
        refuse(reply);
    } catch (const RedisUnfit& error) {
        throw CantTakePart(error.what());
    } catch (const RedisError& error) {
        throw CantTakePart(fmt::format("{}: {}", client_.url().shown(),
                                       explain_refusal(error, crawl_.name)));
    }
}

Coroutine<> FrontierSession::open() {
    try {
        const RedisReply reply = co_await call(open_arguments("open"));
        refuse(reply);
        id_ = reply.items.at(1).text;
        state_ = read_state(reply, 2);
    } catch (const RedisError& error) {
        throw CantTakePart(fmt::format("{}: {}", client_.url().shown(),
                                       explain_refusal(error, crawl_.name)));
    }
    last_call_ = 0;
    is_on_trial_ = false;
    next_ask_ = next_sign_ = loop_.time();
    pause_ = shortest_pause;
}

Coroutine<> FrontierSession::retry() {
    try {
        std::vector<std::string> arguments{"retry"};
        state_ = read_state(co_await call(std::move(arguments)), 0);
    } catch (const RedisError& error) {
        throw CantTakePart(fmt::format("{}: {}", client_.url().shown(),
                                       explain_refusal(error, crawl_.name)));
    }
}

// ---- Taking part ----

void FrontierSession::tell(std::vector<std::string> result) {
    results_.push_back(std::move(result));
    is_urgent_ = true;
    news_.set();
}

void FrontierSession::tell_done(std::vector<std::string> result) {
    const EventLoop::TimePoint now = loop_.time();
    done_.count(now);
    if (results_.empty())
        told_ = now;
    results_.push_back(std::move(result));
    if (results_.size() == 1 || is_time_to_tell())
        news_.set();
}

void FrontierSession::ask_soon() {
    next_ask_ = loop_.time();
    news_.set();
}

void FrontierSession::close() {
    is_closing_ = true;
    news_.set();
}

Coroutine<> FrontierSession::run() {
    while (true) {
        co_await wait_for_news();
        if (is_closing_ && results_.empty())
            co_return;
        co_await next_turn(); // results of this turn come along
        co_await step();
        owner_.on_state();
    }
}

/// Are there results that should go out now? While workers wait, they may bring new
/// links.
bool FrontierSession::is_time_to_tell() const {
    return !results_.empty()
           && (is_urgent_ || owner_.wants_some(*this)
               || loop_.time() - told_ >= collecting);
}

EventLoop::TimePoint FrontierSession::next_call() const {
    EventLoop::TimePoint when = next_sign_;
    if (!results_.empty())
        when = std::min(when, told_ + collecting);
    if (!state_.is_over() && owner_.wants_some(*this))
        when = std::min(when, next_ask_);
    if (!state_.is_over() && owner_.wants_some_foreign(*this))
        when = std::min(when, next_ask_foreign_);
    return when;
}

/// Until there are results to send, or it's time to ask for work or renew the lease.
Coroutine<> FrontierSession::wait_for_news() {
    while (!is_time_to_tell() && !is_closing_) {
        const EventLoop::Duration left = next_call() - loop_.time();
        if (left <= EventLoop::Duration::zero())
            co_return;
        news_.clear();
        try {
            co_await wait_for(news_.wait(), left);
        } catch (const Timeout&) {
            continue; // it's time
        }
    }
}

// [step]
/// One call: results go out, and items come in.
Coroutine<> FrontierSession::step() {
    const Wanted wanted = is_closing_ ? Wanted() : owner_.take_wanted(*this, used_soon());
    std::vector<std::string> arguments{"step", id_, std::to_string(++last_call_),
                                       to_text(wanted)};
    for (std::string& word : take_results())
        arguments.push_back(std::move(word));
    call_began_ = loop_.time();
    const RedisReply reply = co_await call(std::move(arguments));
    if (reply.items.at(0).text == "expired") {
        crawl_.on_note(
            fmt::format("{}: this process was silent for longer than its lease, "
                        "and what it held went to others: it begins anew",
                        client_.url().shown()));
        forget_items();
        owner_.on_items(*this, wanted, {});
        owner_.on_expired(*this);
        co_await open();
    } else {
        take_answer(reply, wanted);
    }
}
// [/step]

/// Keeps only what is to be told about hosts: the rest is no longer true.
void FrontierSession::forget_items() {
    std::erase_if(results_, [](const std::vector<std::string>& result) {
        constexpr std::array of_hosts{"hold", "refused", "busy", "end", "asked"};
        return std::ranges::find(of_hosts, result.front()) == of_hosts.end();
    });
}

/// Takes as many of the results as fit into one call.
std::vector<std::string> FrontierSession::take_results() {
    std::vector<std::string> words;
    std::size_t bytes = 0;
    while (!results_.empty()) {
        for (const std::string& word : results_.front())
            bytes += word.size();
        if (bytes > most_told && !words.empty())
            break;
        for (std::string& word : results_.front())
            words.push_back(std::move(word));
        results_.pop_front();
    }
    is_urgent_ = is_urgent_ && !results_.empty();
    return words;
}

/// How many items the workers will use until the answer to the next call but one is here:
/// an item that is asked for now should be here before that. But never as many as they
/// use in a tenth of a lease.
std::size_t FrontierSession::used_soon() const {
    const EventLoop::Duration until =
        std::min<EventLoop::Duration>(2 * (collecting + call_time_), crawl_.lease / 10);
    return std::min(most_ahead, done_.expected_in(until, loop_.time()));
}

void FrontierSession::take_answer(const RedisReply& reply, Wanted asked) {
    call_time_ = (3 * call_time_ + (loop_.time() - call_began_)) / 4;
    constexpr std::size_t first = 11;
    is_on_trial_ = reply.items.at(2).text == "1";
    const SharedState before = std::exchange(state_, read_state(reply, 3));
    if (state_.holds != before.holds)
        owner_.on_hold(*this);
    std::vector<Leased> items;
    for (std::size_t i = first; i + 1 < reply.items.size(); i += 2)
        items.push_back(read_leased(reply.items[i].text, reply.items[i + 1].text));
    const auto foreign =
        static_cast<std::size_t>(std::ranges::count_if(items, &Leased::is_foreign));
    const bool had_enough = items.size() - foreign >= asked.now;
    pace(reply.items.at(1).number(), had_enough);
    if (is_too_old(call_began_)) { // it took too long: we may count as dead
        for (Leased& item : std::exchange(items, {}))
            tell({"back", std::move(item.url)});
    }
    owner_.on_items(*this, asked, std::move(items));
}

/// When to ask next. A session that got less than it wanted asks less and less often, or
/// as soon as the server expects more (in `wait` milliseconds; -1: it doesn't know).
void FrontierSession::pace(std::int64_t wait, bool had_enough) {
    const EventLoop::TimePoint now = loop_.time();
    next_sign_ = now + crawl_.lease / 6;
    pause_ = had_enough ? shortest_pause : std::min(2 * pause_, longest_pause);
    const auto expected = [wait](EventLoop::Duration longest) -> EventLoop::Duration {
        if (wait < 0)
            return longest;
        return std::clamp<EventLoop::Duration>(std::chrono::milliseconds(wait), 1ms,
                                               longest);
    };
    next_ask_ = now + (had_enough ? EventLoop::Duration() : expected(pause_));
    next_ask_foreign_ = now + expected(longest_pause);
}

Coroutine<> FrontierSession::leave() {
    if (id_.empty())
        co_return; // it has never begun
    std::vector<std::string> arguments{"close", id_};
    const RedisReply reply = co_await call(std::move(arguments));
    state_ = read_state(reply, 1);
}

} // namespace stage3
