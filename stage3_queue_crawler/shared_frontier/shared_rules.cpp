#include "stage3_queue_crawler/shared_frontier/shared_rules.h"

#include "stage3_queue_crawler/crawler/robots.h"
#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/shared_frontier/frontier_session.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

namespace {

/// In bytes: once the rules take more, they are forgotten, and read again when needed.
constexpr std::size_t most_rules = std::size_t{32} * 1024 * 1024;

/// What a robots.txt says, as the others read it: why a URL isn't allowed; the rules.
std::string to_text(const RobotsAnswer& answer) {
    return answer.reason + "\n" + answer.rules.text();
}

RobotsSource::Answer read_rules(const std::string& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view rules = std::string_view(text).substr(end);
    return std::make_shared<const RobotsAnswer>(
        RobotsAnswer{.rules = Robots::read_text(rules), .reason = text.substr(0, end)});
}

std::shared_ptr<const Refusal> unanswered(const Future<RobotsSource::Answer>& answer) {
    return std::make_shared<const Refusal>(
        Refusal{.reason = {}, .failure = answer.exception()});
}

} // namespace

SharedRules::SharedRules(HeldItems& held, FrontierSessions& sessions,
                         RobotsSource* robots)
    : held_(held), sessions_(sessions), robots_(robots) {}

void SharedRules::admit(HeldItem item) {
    const Leased& lease = item.lease;
    if (item.url.is_malformed()) { // there is no server to ask
        held_.add_ready(std::move(item), nullptr);
        return;
    }
    const bool has_ended = lease.wants == Leased::Wants::end;
    if (has_ended)
        end_host(lease.host, lease.ended);
    const bool needs_rules = robots_ != nullptr && !has_ended;
    const RobotsSource::Answer says = needs_rules ? known(lease.host) : nullptr;
    if (lease.wants == Leased::Wants::rules) {
        if (robots_ == nullptr)
            throw CantTakePart("the crawl asks for robots.txt, and this process mustn't");
        ask_host(held_.add(std::move(item)));
    } else if (needs_rules && !says) {
        sessions_.start(read(held_.add(std::move(item))), "rules");
    } else {
        Refused why = refused(item, says.get());
        held_.add_ready(std::move(item), std::move(why));
    }
}

void SharedRules::end_host(const std::string& host, const std::string& reason) {
    if (!ended_.contains(host))
        ended_.emplace(
            host, std::make_shared<const Refusal>(
                      Refusal{.reason = reason, .failure = nullptr, .has_ended = true}));
}

/// nullptr: nothing, or not now.
RobotsSource::Answer SharedRules::known(const std::string& host) const {
    const auto rules = rules_.find(host);
    return rules != rules_.end() && running_loop().time() < rules->second.until
               ? rules->second.answer
               : nullptr;
}

/// `says`: what its robots.txt does. nullptr: everything is allowed.
SharedRules::Refused SharedRules::refused(const HeldItem& item,
                                          const RobotsAnswer* says) const {
    Refused by_rules;
    if (says != nullptr && !says->rules.allows(item.url.target()))
        by_rules = std::make_shared<const Refusal>(
            Refusal{.reason = says->reason, .failure = nullptr});
    return or_ended(item, by_rules);
}

/// If its host has ended, that's why; otherwise `refused`.
SharedRules::Refused SharedRules::or_ended(const HeldItem& item,
                                           const Refused& refused) const {
    const auto ended = ended_.find(item.lease.host);
    return ended == ended_.end() ? refused : ended->second;
}

/// No process knows yet what this host's robots.txt says, and all others wait for it.
void SharedRules::ask_host(Ticket ticket) {
    HeldItem& item = held_.at(ticket);
    const Future<RobotsSource::Answer> answer = robots_->ask(item.url);
    held_.begin_asking(
        item, std::make_unique<CancelAtExit>(answer.add_done_callback(
                  [this, ticket](const auto& known) { take_answer(ticket, known); })));
}

void SharedRules::take_answer(Ticket ticket, const Future<RobotsSource::Answer>& answer) {
    held_.end_asking(held_.at(ticket));
    if (answer.cancelled())
        held_.give_back(ticket);
    else if (answer.has_failed() || answer.result()->cannot_say)
        sessions_.start(use_old(ticket, answer), "rules");
    else
        tell(ticket, answer.result());
}

/// The host can't be reached, or can't say now. If it was asked before, what it said then
/// stays in force for another day.
Coroutine<> SharedRules::use_old(Ticket ticket, Future<RobotsSource::Answer> answer) {
    const RobotsSource::Answer old = co_await known_in_redis(ticket);
    if (held_.find(ticket) == nullptr)
        co_return;
    if (old)
        tell(ticket, old);
    else if (!answer.has_failed())
        tell(ticket, answer.result());
    else
        held_.let_in(ticket, or_ended(held_.at(ticket), unanswered(answer)));
}

/// Tells the others. The item goes back into its queue: asking for robots.txt was a
/// request, too, after which the host may want a pause.
void SharedRules::tell(Ticket ticket, const RobotsSource::Answer& answer) {
    const HeldItem& item = held_.at(ticket);
    const auto delay = answer->rules.crawl_delay().value_or(Robots::Duration());
    keep(item.lease.host, answer);
    item.session->tell({"rules", item.lease.url,
                        milliseconds(std::chrono::ceil<EventLoop::Duration>(delay)),
                        to_text(*answer)});
    held_.give_back(ticket);
}

/// Reads what another process has found out.
Coroutine<> SharedRules::read(Ticket ticket) {
    const std::string host = held_.at(ticket).lease.host;
    const RobotsSource::Answer answer = co_await known_in_redis(ticket);
    if (!answer) // not knowing never means "all is allowed"
        throw std::runtime_error("what the robots.txt of " + host + " says is gone");
    keep(host, answer);
    if (const HeldItem* const item = held_.find(ticket))
        held_.let_in(ticket, refused(*item, answer.get()));
}

/// nullptr: nothing.
Coroutine<RobotsSource::Answer> SharedRules::known_in_redis(Ticket ticket) {
    const HeldItem& item = held_.at(ticket);
    FrontierSession& session = *item.session;
    std::vector<std::string> ask{"HGET", session.key("rules"), item.lease.host};
    const RedisReply rules = co_await session.client().call(std::move(ask));
    if (rules.is_null)
        co_return nullptr;
    co_return read_rules(rules.text);
}

void SharedRules::keep(const std::string& host, RobotsSource::Answer answer) {
    if (bytes_ > most_rules) {
        rules_.clear();
        bytes_ = 0;
    }
    bytes_ += host.size() + answer->rules.memory();
    constexpr std::chrono::hours until_read_again{1};
    rules_.insert_or_assign(host,
                            Known{.answer = std::move(answer),
                                  .until = running_loop().time() + until_read_again});
}

} // namespace stage3
