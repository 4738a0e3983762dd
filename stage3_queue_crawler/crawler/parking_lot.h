// Items that must wait for a while, without holding up anything else.
//
// A page that could not be fetched is tried again, but not at once. If its worker waited
// for that, ten such pages would stop ten workers. So the worker leaves the item here and
// takes another one, and when its time has come, the item goes back into the queue.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace stage3 {

template <class Item>
class ParkingLot {
  public:
    /// `leave` is called with each item when its time has come.
    ParkingLot(EventLoop& loop, std::function<void(Item)> leave)
        : loop_(loop), leave_(std::move(leave)) {}

    /// Keeps the item until `when`.
    void park(Item item, EventLoop::TimePoint when) {
        const auto place = items_.emplace(when, std::move(item));
        if (place == items_.begin())
            set_timer();
    }

    /// Lets those go at once of which `is_one` is true.
    template <class Predicate>
    void hurry(Predicate is_one) {
        std::vector<Item> all;
        for (auto item = items_.begin(); item != items_.end();) {
            const auto next = std::next(item);
            if (is_one(item->second))
                all.push_back(std::move(items_.extract(item).mapped()));
            item = next;
        }
        set_timer();
        for (Item& item : all)
            leave_(std::move(item));
    }

    std::size_t size() const { return items_.size(); }

  private:
    /// One timer, for the item that leaves first.
    void set_timer() {
        timer_.reset(); // cancels the last one
        if (!items_.empty())
            timer_.emplace(loop_.call_at(items_.begin()->first, [this] { let_leave(); }));
    }

    void let_leave() {
        while (!items_.empty() && items_.begin()->first <= loop_.time())
            leave_(std::move(items_.extract(items_.begin()).mapped()));
        set_timer();
    }

    EventLoop& loop_;
    std::function<void(Item)> leave_;
    std::multimap<EventLoop::TimePoint, Item> items_;
    std::optional<CancelAtExit> timer_;
};

} // namespace stage3
