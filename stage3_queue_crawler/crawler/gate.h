// Politeness: how many requests a host gets at once, and how fast.
//
// A crawler with a hundred workers is an attack on a small server. So each host has a
// gate. Whoever may not pass now stands in the host's line, and its worker takes another
// item: a host that is slow, or wants to be left alone, holds up no other one. Told in
// book/14b.
//
// A host is a name (or address) and a port here: that is what a server is to us.
#pragma once

#include "stage3_queue_crawler/runtime/event_loop.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace stage3 {

struct GateLimits {
    std::size_t max_per_host = std::numeric_limits<std::size_t>::max(); ///< at once
    EventLoop::Duration delay{}; ///< at least, from the start of one to that of the next
};

template <class Item>
class Gate {
  public:
    /// `call` is called with an item that has stood in line when it is its turn: it
    /// should come to `pass` again soon, and say that it was called.
    Gate(EventLoop& loop, GateLimits limits, std::function<void(Item)> call)
        : loop_(loop), limits_(limits), call_(std::move(call)) {}

    // [pass]
    /// True if a request to the host may begin now: it has begun then. If not, the item
    /// is kept. `was_called`: it has stood in line before, and goes to its front.
    bool pass(const std::string& name, Item item, bool was_called) {
        Host& host = hosts_[name];
        if (was_called)
            --host.called;
        if (is_open(host) && (was_called || (host.line.empty() && host.called == 0))) {
            ++host.in_flight;
            host.next_start = loop_.time() + std::max(limits_.delay, host.delay);
            call_next(name, host);
            return true;
        }
        if (was_called)
            host.line.push_front(std::move(item));
        else
            host.line.push_back(std::move(item));
        ++waiting_;
        call_next(name, host);
        return false;
    }
    // [/pass]

    /// The host has been asked for something that doesn't come to the gate.
    void has_asked(const std::string& name) {
        hold(name, loop_.time() + std::max(limits_.delay, hosts_[name].delay));
    }

    /// A request has ended, however it has.
    void end(const std::string& name) {
        Host& host = hosts_[name];
        --host.in_flight;
        if (!loop_.closed())
            call_next(name, host);
    }

    /// An item that was called will not come to `pass`.
    void has_left(const std::string& name) {
        Host& host = hosts_[name];
        --host.called;
        call_next(name, host);
    }

    /// Calls all items that stand in line, whatever the limits: nobody wants to fetch
    /// them any more.
    void call_all() {
        for (auto& [name, host] : hosts_)
            for (std::deque<Item> line = std::exchange(host.line, {}); !line.empty();
                 line.pop_front()) {
                --waiting_;
                ++host.called;
                call_(std::move(line.front()));
            }
    }

    /// No request to this host shall begin before `when`.
    void hold(const std::string& name, EventLoop::TimePoint when) {
        Host& host = hosts_[name];
        host.next_start = std::max(host.next_start, when);
    }

    /// This host wants at least that between two starts.
    void set_delay(const std::string& name, EventLoop::Duration delay) {
        hosts_[name].delay = delay;
    }

    /// How many items stand in line.
    std::size_t size() const { return waiting_; }

  private:
    struct Host {
        std::size_t in_flight = 0;
        std::size_t called = 0; // on their way to `pass`
        EventLoop::TimePoint next_start{};
        EventLoop::Duration delay{};
        std::deque<Item> line;
        std::optional<CancelAtExit> timer;
    };

    bool has_room(const Host& host) const {
        return host.in_flight < limits_.max_per_host;
    }
    bool is_open(const Host& host) const {
        return has_room(host) && loop_.time() >= host.next_start;
    }

    // [call-next]
    /// Calls the first in line, if there is room for one more; now, or when it's time.
    void call_next(const std::string& name, Host& host) {
        if (host.line.empty() || host.called > 0 || !has_room(host))
            return; // whoever passes, or ends, looks again
        if (loop_.time() < host.next_start) {
            host.timer.emplace(loop_.call_at(
                host.next_start, [this, name] { call_next(name, hosts_[name]); }));
            return;
        }
        Item item = std::move(host.line.front());
        host.line.pop_front();
        --waiting_;
        ++host.called;
        call_(std::move(item));
    }
    // [/call-next]

    EventLoop& loop_;
    const GateLimits limits_;
    std::function<void(Item)> call_;
    std::unordered_map<std::string, Host> hosts_;
    std::size_t waiting_ = 0;
};

} // namespace stage3
