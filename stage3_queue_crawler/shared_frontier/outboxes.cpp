#include "stage3_queue_crawler/shared_frontier/outboxes.h"

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace stage3 {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_carried = std::size_t{64} * 1024; // in one call, in bytes

/// A stream entry's ID is "MILLISECONDS-NUMBER". An empty one comes before all others.
std::pair<std::uint64_t, std::uint64_t> place_of(const std::string& id) {
    const auto read = [](std::string_view text) {
        std::uint64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    };
    const auto dash = std::min(id.find('-'), id.size());
    const std::string_view view(id);
    return {read(view.substr(0, dash)), read(view.substr(std::min(dash + 1, id.size())))};
}

/// Have all begun to check, according to `read_all`?
std::string checking(const std::string& all) {
    return all.find("/0 ") == std::string::npos ? "1" : "0";
}

} // namespace

Coroutine<> Outboxes::carry() {
    while (true) {
        news_.clear();
        const bool some = co_await carry_all();
        if (some)
            continue;
        if (all_idle())
            co_await end_if_nothing_is_left();
        try { // the process that should carry them may be dead: so look now and then
            co_await wait_for(news_.wait(), all_idle() ? 20ms : 200ms);
        } catch (const Timeout&) {
            continue;
        }
    }
}

/// True if there was something.
Coroutine<bool> Outboxes::carry_all() {
    bool some = false;
    for (std::size_t source = 0; source < sessions_.size(); ++source) {
        const bool found = co_await carry_from(source);
        some = some || found;
    }
    co_return some;
}

Coroutine<bool> Outboxes::carry_from(std::size_t source) {
    bool some = false;
    for (std::size_t target = 0; target < sessions_.size(); ++target) {
        if (target == source)
            continue;
        FrontierSession& from = *sessions_[source];
        std::vector<std::string> ask{"XRANGE", from.key(fmt::format("outbox:{}", target)),
                                     "-",      "+",
                                     "COUNT",  "50"};
        RedisReply entries = co_await from.client().call(std::move(ask));
        if (entries.items.empty())
            continue;
        some = true;
        co_await carry_over(source, target, std::move(entries));
    }
    co_return some;
}

/// Links are first put in, then taken out of the outbox: if a process dies in between,
/// they are there twice, not lost; and the target knows how much it has.
Coroutine<> Outboxes::carry_over(std::size_t source, std::size_t target,
                                 RedisReply entries) {
    FrontierSession& to = *sessions_[target];
    std::string last = co_await what_has_arrived(source, target);
    std::vector<std::string> put{"put", std::to_string(source), last, ""};
    std::size_t bytes = 0;
    for (const RedisReply& entry : entries.items) {
        const std::string& id = entry.items.at(0).text;
        if (place_of(id) <= place_of(last))
            continue;
        const std::string& chunk = entry.items.at(1).items.at(3).text;
        bytes += chunk.size();
        if (bytes > most_carried && !put.at(3).empty())
            break;
        put.at(3) = id;
        put.push_back(entry.items.at(1).items.at(1).text); // the page
        put.push_back(chunk);
    }
    if (!put.at(3).empty()) {
        const RedisReply in = co_await to.call(std::move(put));
        last = in.text;
    }
    std::vector<std::string> sent{"sent", std::to_string(target), last};
    co_await sessions_[source]->call(std::move(sent));
}

/// The last entry of that outbox that the target has. A server that came back with an
/// older state may have forgotten entries that were removed from the outbox, or have
/// given the same IDs to others. Then links are lost, and there's no telling which:
/// throws std::runtime_error.
Coroutine<std::string> Outboxes::what_has_arrived(std::size_t source,
                                                  std::size_t target) {
    FrontierSession& from = *sessions_[source];
    FrontierSession& to = *sessions_[target];
    // The order matters: what was removed had arrived, and what has arrived was there.
    const std::string name = std::to_string(target);
    std::vector<std::string> ask_sent{"HGET", from.key("outboxes"), "sent:" + name};
    const RedisReply sent = co_await from.client().call(std::move(ask_sent));
    std::vector<std::string> ask_in{"HGET", to.key("inbox"), std::to_string(source)};
    const RedisReply in = co_await to.client().call(std::move(ask_in));
    std::vector<std::string> ask_last{"HGET", from.key("outboxes"), name};
    const RedisReply last = co_await from.client().call(std::move(ask_last));
    const bool has_all = place_of(sent.text) <= place_of(in.text);
    if (!has_all || place_of(in.text) > place_of(last.text))
        throw std::runtime_error(fmt::format(
            "{} has lost a part of the crawl, and so links from {} to {} are gone: begin "
            "it anew, under another name, and let Redis keep what it has (appendonly)",
            (has_all ? from : to).client().url().shown(), from.client().url().shown(),
            to.client().url().shown()));
    co_return in.is_null ? "0-0" : in.text;
}

/// Or complete: the process that was to tell them may have died after telling some.
bool Outboxes::all_idle() const {
    using Stage = SharedState::Stage;
    return std::ranges::all_of(sessions_, [](const auto& session) {
        const Stage stage = session->state().stage;
        return stage == Stage::idle || stage == Stage::complete;
    });
}

// [false-zero]
/// Reading 0 from one server after the other proves nothing: a link may have gone from
/// one that was not asked yet to one that was. But there is a number that only grows: how
/// many URLs have ever been unfinished. If it's still the same when all are asked again,
/// there was a moment between the two rounds when all were 0.
Coroutine<> Outboxes::end_if_nothing_is_left() {
    const std::string first = co_await read_all();
    if (first.empty())
        co_return;
    const std::string second = co_await read_all();
    if (first != second)
        co_return;
    co_await check_that_none_is_lost();
    for (const auto& session : sessions_) {
        std::vector<std::string> finish{"finish", checking(first)};
        co_await session->call(std::move(finish));
    }
}
// [/false-zero]

Coroutine<> Outboxes::check_that_none_is_lost() {
    for (std::size_t source = 0; source < sessions_.size(); ++source)
        for (std::size_t target = 0; target < sessions_.size(); ++target)
            if (source != target)
                co_await what_has_arrived(source, target);
}

/// For each server, how many URLs have ever been unfinished, and whether it is checking
/// what isn't followed: "120/0 97/0 ". Empty if some are unfinished, or, while it isn't
/// checking, are to be followed.
Coroutine<std::string> Outboxes::read_all() {
    std::string all;
    for (const auto& session : sessions_) {
        std::vector<std::string> ask{"HMGET",   session->key("meta"), "unfinished",
                                     "created", "checking",           "to_follow"};
        const RedisReply reply = co_await session->client().call(std::move(ask));
        const bool is_checking = reply.items.at(2).text == "1";
        if (reply.items.at(is_checking ? 0 : 3).text != "0")
            co_return std::string();
        all += reply.items.at(1).text + "/" + reply.items.at(2).text + " ";
    }
    co_return all;
}

} // namespace stage3
