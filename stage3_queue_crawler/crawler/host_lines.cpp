#include "stage3_queue_crawler/crawler/host_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

namespace stage3 {

using Place = TimeAccount::Place;

HostLines::HostLines(EventLoop& loop, FrontierSettings settings, FrontierHelpers helpers)
    : loop_(loop), settings_(std::move(settings)), helpers_(std::move(helpers)),
      queue_(0, Order(settings_.order)), foreign_queue_(0, Order(settings_.order)),
      gate_(loop, settings_.politeness, Order(settings_.order),
            std::bind_front(&HostLines::pass_gate, this), helpers_.account),
      parked_(loop, std::bind_front(&HostLines::leave_parking_lot, this)),
      remembered_(helpers_.answers != nullptr
                      && settings_.max_depth != FrontierSettings::no_limit,
                  std::bind_front(&HostLines::let_in, this)) {
    if (helpers_.robots != nullptr)
        robots_.emplace(loop, *helpers_.robots,
                        std::bind_front(&HostLines::leave_robots_line, this));
}

// ---- From line to line ----

void HostLines::enter_gate(Item item) {
    const std::string host = host_of(item.url);
    if (is_foreign(item.purpose))
        gate_.treat_gently(host, helpers_.checks.foreign_delay);
    gate_.enter(host, std::move(item));
}

/// There is one. The item may leave it at once.
void HostLines::enter_robots_line(Item item) {
    note_enters(item, Place::robots_line);
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): see above
    robots_->enter(std::move(item));
}

void HostLines::leave_robots_line(Item item, std::optional<Robots::Duration> delay) {
    note_leaves(item, Place::robots_line);
    if (delay)
        gate_.set_delay(host_of(item.url),
                        std::chrono::ceil<EventLoop::Duration>(*delay));
    if (has_ended(item))
        let_in_ended(std::move(item)); // perhaps robots.txt was refused
    else if (item.refusal || is_foreign(item.purpose))
        let_in(std::move(item)); // it needs no gate, or came through it
    else
        enter_gate(std::move(item));
}

/// It's its host's turn. But if that is a foreign host, there may be too many of these.
void HostLines::pass_gate(Item item, Passage passage) {
    item.goes_first = item.goes_first || passage == Passage::from_line;
    item.is_inside = true;
    if (!is_foreign(item.purpose))
        let_in(std::move(item));
    else if (foreign_hosts_ >= helpers_.checks.foreign_hosts)
        join_foreign_line(std::move(item));
    else
        set_out(std::move(item));
}

void HostLines::join_foreign_line(Item item) {
    note_enters(item, Place::foreign_line);
    foreign_line_.push_back(std::move(item));
}

/// On a foreign server, asking for robots.txt has to wait for its turn, too.
void HostLines::set_out(Item item) {
    ++foreign_hosts_;
    if (robots_ && !is_closed_)
        enter_robots_line(std::move(item));
    else
        let_in(std::move(item));
}

void HostLines::let_in(Item item) {
    if (is_closed_)
        return;
    note_enters(item, Place::ready);
    (is_foreign(item.purpose) ? foreign_queue_ : queue_).put_nowait(std::move(item));
}

/// It has been let in, or would be, but its host is asked nothing more.
void HostLines::let_in_ended(Item item) {
    leave_gate(item);
    item.refusal = ended_.at(host_of(item.url));
    let_in(std::move(item));
}

// ---- Out, and in again ----

/// Much may have happened since it was let in.
bool HostLines::may_leave(Item& item) {
    if (is_full() && !item.was_tried) {
        leave_gate(item);
        drop(item);
        return false;
    }
    if (item.refusal || item.is_remembered)
        return true;
    if (has_ended(item)) {
        let_in_ended(std::move(item));
        return false;
    }
    if (!gate_.may_begin(host_of(item.url))) { // its host has been held
        leave_gate(item);
        item.goes_first = true;
        const std::string host = host_of(item.url);
        gate_.enter(host, std::move(item));
        return false;
    }
    return true;
}

/// Now it is out. After `max_pages`, only items that were tried continue.
void HostLines::take(Item& item) {
    ++out_;
    if (item.refusal && item.refusal->failure == nullptr)
        return; // a refusal isn't a try
    ++item.tries;
    if (item.was_tried)
        return;
    item.was_tried = true;
    item.begun = loop_.time();
    if (++taken_ == settings_.max_pages)
        drop_what_waits();
}

void HostLines::drop_what_waits() {
    for (Item& item : take_all())
        if (item.was_tried)
            admit(std::move(item));
        else
            drop(item);
}

Pace::Epoch HostLines::begin_request(const std::string& host) {
    gate_.begin(host);
    return gate_.epoch(host);
}

void HostLines::end_visit(const std::string& host, const Leaving& leaving) {
    --out_;
    leave_gate(host, leaving);
}

void HostLines::come_in(Item& item) {
    --out_;
    leave_gate(item);
    item.has_begun = false;
}

void HostLines::leave_gate(Item& item) {
    if (is_closed() || !item.is_inside)
        return;
    item.is_inside = false;
    leave_gate(host_of(item.url), {.is_inside = true,
                                   .has_begun = item.has_begun,
                                   .is_foreign = is_foreign(item.purpose)});
}

void HostLines::leave_gate(const std::string& host, const Leaving& leaving) {
    if (is_closed() || !leaving.is_inside)
        return;
    gate_.leave(host, leaving.has_begun);
    if (!leaving.is_foreign)
        return;
    --foreign_hosts_;
    if (!foreign_line_.empty()) {
        Item next = std::move(foreign_line_.front());
        foreign_line_.pop_front();
        note_leaves(next, Place::foreign_line);
        set_out(std::move(next));
    }
}

// [park]
void HostLines::park(Item item, EventLoop::Duration wait) {
    come_in(item);
    item.goes_first = true;
    note_parking(item);
    parked_.park(std::move(item), loop_.time() + wait);
}
// [/park]

void HostLines::note_parking(Item& item) const {
    if (helpers_.account == nullptr)
        return;
    item.parked_as = helpers_.account->take_reason();
    note_enters(item, item.parked_as);
}

void HostLines::leave_parking_lot(Item item) {
    note_leaves(item, item.parked_as);
    admit(std::move(item));
}

// ---- What hosts say about our pace ----

void HostLines::answered(const Item& item) {
    if (item.is_inside && item.has_begun)
        gate_.answered(host_of(item.url));
}

void HostLines::refused(const Item& item, EventLoop::Duration wait) {
    const std::string host = host_of(item.url);
    gate_.hold(host, wait);
    if (!item.is_inside || !item.has_begun)
        return;
    gate_.refused(host, item.epoch);
    if (gate_.refused_for(host) >= settings_.refused_timeout)
        end_host(host, fmt::format("its server has refused everything for {} s",
                                   settings_.refused_timeout.count()));
}

void HostLines::busy(const Item& item, EventLoop::Duration wait) {
    const std::string host = host_of(item.url);
    gate_.hold(host, wait);
    if (item.is_inside && item.has_begun)
        gate_.busy(host, item.epoch);
}

/// What is in line leaves it; what is elsewhere is stopped on its way.
void HostLines::end_host(const std::string& host, std::string reason) {
    auto refusal = std::make_shared<const Refusal>(
        Refusal{.reason = std::move(reason), .failure = nullptr, .has_ended = true});
    if (!ended_.emplace(host, std::move(refusal)).second)
        return;
    for (Item& item : gate_.take_all_of(host))
        let_in_ended(std::move(item));
    parked_.hurry([this](const Item& item) { return has_ended(item); });
}

// ---- The end ----

/// All that are waiting, except for the ready and the parked ones.
std::vector<HostLines::Item> HostLines::take_all() {
    std::vector<Item> all = gate_.take_all();
    for (Item& item : std::exchange(foreign_line_, {})) {
        note_leaves(item, Place::foreign_line);
        gate_.leave(host_of(item.url), false);
        item.is_inside = false;
        all.push_back(std::move(item));
    }
    if (robots_)
        for (Item& item : robots_->take_all()) {
            note_leaves(item, Place::robots_line);
            if (is_foreign(item.purpose))
                leave_gate(item);
            all.push_back(std::move(item));
        }
    std::ranges::move(remembered_.take_all(), std::back_inserter(all));
    if (helpers_.robots != nullptr)
        helpers_.robots->cancel_all();
    return all;
}

void HostLines::close_lines() {
    is_closed_ = true;
    if (helpers_.account != nullptr)
        helpers_.account->end();
    if (robots_)
        robots_->drop_all();
    if (helpers_.robots != nullptr)
        helpers_.robots->cancel_all();
    for (ReadyQueue* const queue : {&queue_, &foreign_queue_}) {
        while (!queue->empty()) {
            queue->get_nowait();
            queue->task_done();
        }
    }
}

} // namespace stage3
