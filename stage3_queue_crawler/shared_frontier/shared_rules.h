// What the robots.txt of each host says, for all processes of a crawl.
//
// One process asks the host, and writes the answer into Redis; the others read it there.
// So a host is asked once a day, however many processes there are, and an item is let in
// only after the rules of its host are known. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/item.h"
#include "stage3_queue_crawler/crawler/robots_cache.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/future.h"
#include "stage3_queue_crawler/shared_frontier/held_items.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace stage3 {

class SharedRules {
  public:
    /// Called when an item may go to a worker. The refusal says why it must not be
    /// fetched; nullptr: it may.
    using LetIn = std::function<void(Ticket, std::shared_ptr<const Refusal>)>;
    /// Runs this as a task, and ends the crawl if it throws.
    using Start = std::function<void(Coroutine<>)>;

    /// `held` must outlive it. Without `ask`, everything is allowed.
    SharedRules(HeldItems& held, RobotsCache::Ask ask, LetIn let_in, Start start);

    /// Lets the item in as soon as the rules of its host are known: at once, if they are
    /// known here. The first process to get an item of that host asks for them.
    void admit(Ticket ticket);

  private:
    void apply(Ticket ticket, const RobotsAnswer& says);
    void ask_host(Ticket ticket);
    void take_answer(Ticket ticket, const Future<RobotsCache::Answer>& answer);
    Coroutine<> use_old(Ticket ticket, Future<RobotsCache::Answer> answer);
    void tell(Ticket ticket, const RobotsCache::Answer& answer);
    Coroutine<> read(Ticket ticket);
    Coroutine<RobotsCache::Answer> known_in_redis(Ticket ticket);
    void keep(const std::string& host, RobotsCache::Answer answer);

    HeldItems& held_;
    const RobotsCache::Ask ask_;
    const LetIn let_in_;
    const Start start_;
    struct Known {
        RobotsCache::Answer answer;
        EventLoop::TimePoint until; // then it's read again: there may be newer ones
    };
    std::unordered_map<std::string, Known> rules_; // of hosts
    std::size_t bytes_ = 0;                        // that they take
};

} // namespace stage3
