// What the robots.txt of each host says, for all processes of a crawl.
//
// One process asks the host, and writes the answer into Redis; the others read it there.
// So a host is asked once a day, however many processes there are, and an item is let in
// only after the rules of its host are known. If its host has ended, that is the rule.
// Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/future.h"
#include "stage3_queue_crawler/shared_frontier/frontier_sessions.h"
#include "stage3_queue_crawler/shared_frontier/held_items.h"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace stage3 {

class SharedRules {
  public:
    /// `held` and `sessions` must outlive it. `robots`, too,
    /// unless it's nullptr: then everything is allowed.
    SharedRules(HeldItems& held, FrontierSessions& sessions, RobotsSource* robots);

    /// Holds the item, and lets it in as soon as the rules of its host are known: at
    /// once, if they are known here. The first process to get an item of that host asks
    /// for them.
    void admit(HeldItem item);
    /// From now on, that host's items carry a refusal, whatever its robots.txt says.
    void end_host(const std::string& host, const std::string& reason);

  private:
    using Refused = std::shared_ptr<const Refusal>; // nullptr: it isn't

    Refused refused(const HeldItem& item, const RobotsAnswer* says) const;
    Refused or_ended(const HeldItem& item, const Refused& refused) const;
    RobotsSource::Answer known(const std::string& host) const;
    void ask_host(Ticket ticket);
    void take_answer(Ticket ticket, const Future<RobotsSource::Answer>& answer);
    Coroutine<> use_old(Ticket ticket, Future<RobotsSource::Answer> answer);
    void tell(Ticket ticket, const RobotsSource::Answer& answer);
    Coroutine<> read(Ticket ticket);
    Coroutine<RobotsSource::Answer> known_in_redis(Ticket ticket);
    void keep(const std::string& host, RobotsSource::Answer answer);

    HeldItems& held_;
    FrontierSessions& sessions_;
    RobotsSource* const robots_; // nullptr: everything is allowed
    struct Known {
        RobotsSource::Answer answer;
        EventLoop::TimePoint until; // then it's read again: there may be newer ones
    };
    std::unordered_map<std::string, Known> rules_; // of hosts
    std::size_t bytes_ = 0;                        // that they take
    /// Hosts that are asked nothing more, as far as this process knows.
    std::unordered_map<std::string, Refused> ended_;
};

} // namespace stage3
