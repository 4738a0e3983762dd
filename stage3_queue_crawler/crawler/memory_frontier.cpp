#include "stage3_queue_crawler/crawler/memory_frontier.h"

#include "stage3_queue_crawler/crawler/host.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

MemoryFrontier::MemoryFrontier(EventLoop& loop, FrontierSettings settings)
    : loop_(loop), settings_(std::move(settings)), queue_(0, Order(settings_.order)),
      foreign_queue_(0, Order(settings_.order)),
      gate_(loop, settings_.politeness, Order(settings_.order),
            [this](Item item, Passage passage) {
                item.goes_first = item.goes_first || passage == Passage::from_line;
                item.is_inside = true;
                if (item.purpose == Purpose::check_foreign)
                    enter_foreign(std::move(item));
                else
                    let_in(std::move(item));
            }),
      robots_(loop, settings_.ask_robots,
              [this](Item item, std::optional<Robots::Duration> delay) {
                  const std::string host = host_of(item.url);
                  if (delay)
                      set_delay(host, std::chrono::ceil<EventLoop::Duration>(*delay));
                  if (has_ended(item))
                      let_in_ended(std::move(item)); // perhaps robots.txt was refused
                  else if (item.refusal || item.purpose == Purpose::check_foreign)
                      let_in(std::move(item)); // it needs no gate, or came through it
                  else
                      gate_.enter(host, std::move(item));
              }),
      parked_(loop, [this](Item item) { admit(std::move(item)); }) {
    nothing_left_.set();
}

Coroutine<> MemoryFrontier::open(std::vector<common::Url> roots) {
    for (const common::Url& root : roots)
        add(urls_[root], {.page = KnownUrl::none,
                          .depth = 0,
                          .redirects_left = settings_.max_redirects});
    co_return;
}

/// Turns a URL into work, unless it already is or was. A check waits until nothing is
/// left to follow: until then, a link may turn it into a page to be read.
void MemoryFrontier::add(KnownUrl& url, const Origin& origin) {
    const bool was_deferred = url.is_deferred && origin.purpose == Purpose::follow;
    if (url.state != KnownUrl::State::met && !was_deferred)
        return;
    url.state = KnownUrl::State::queued;
    url.parent = origin.page;
    url.depth = origin.depth;
    url.purpose = origin.purpose;
    url.role = origin.role;
    url.is_deferred = false;
    if (was_deferred)
        --counts_.unfinished;
    if (is_full()) {
        counts_.has_left_some = true;
        return;
    }
    ++counts_.unfinished;
    nothing_left_.clear();
    if (url.purpose == Purpose::follow) {
        ++to_follow_;
        if (keeps_levels())
            ++pages_at_depth_[url.depth];
    }
    if (url.purpose == Purpose::check && to_follow_ > 0) {
        url.is_deferred = true;
        deferred_.push_back(&url);
        return;
    }
    Item item(url.url);
    item.is_root = origin.page == KnownUrl::none;
    item.depth = origin.depth;
    item.redirects_left = origin.redirects_left;
    item.purpose = origin.purpose;
    admit(std::move(item));
}

void MemoryFrontier::admit_deferred() {
    for (KnownUrl* const url : std::exchange(deferred_, {})) {
        if (!std::exchange(url->is_deferred, false))
            continue; // it's a page, too
        if (is_full()) {
            counts_.has_left_some = true;
            finish_one(Purpose::check, url->depth);
            continue;
        }
        Item item(url->url);
        item.depth = url->depth;
        item.redirects_left = settings_.max_redirects;
        item.purpose = Purpose::check;
        admit(std::move(item));
    }
}

/// Puts it in line for its origin's robots.txt, and then for its host. On a foreign
/// server, asking for robots.txt has to wait for its turn, too.
void MemoryFrontier::admit(Item item) {
    if (is_closed_)
        return;
    // [answered]
    item.is_answered =
        settings_.needs_no_request && settings_.needs_no_request(item.url, item.purpose);
    if (item.is_answered) {
        let_in_in_turn(std::move(item));
        return;
    }
    // [/answered]
    if (has_ended(item)) {
        let_in_ended(std::move(item));
        return;
    }
    const bool is_foreign = item.purpose == Purpose::check_foreign;
    if (settings_.ask_robots && !is_foreign) {
        robots_.enter(std::move(item));
        return;
    }
    const std::string host = host_of(item.url);
    if (is_foreign)
        gate_.treat_gently(host, settings_.checks.foreign_delay);
    gate_.enter(host, std::move(item));
}

/// It's its host's turn, but there may be too many such hosts.
void MemoryFrontier::enter_foreign(Item item) {
    if (foreign_hosts_ >= settings_.checks.foreign_hosts)
        foreign_line_.push_back(std::move(item));
    else
        set_out(std::move(item));
}

void MemoryFrontier::set_out(Item item) {
    ++foreign_hosts_;
    if (settings_.ask_robots && !is_closed_)
        robots_.enter(std::move(item));
    else
        let_in(std::move(item));
}

/// It needs no request, so it waits only for pages that are nearer to a root: if it
/// overtook these, what it leads to would seem deeper than it is.
void MemoryFrontier::let_in_in_turn(Item item) {
    if (keeps_levels() && item.purpose == Purpose::follow
        && pages_at_depth_.begin()->first < item.depth)
        answered_[item.depth].push_back(std::move(item));
    else
        let_in(std::move(item));
}

/// A page is done.
void MemoryFrontier::leave_level(std::uint32_t depth) {
    const auto level = pages_at_depth_.find(depth);
    if (--level->second > 0)
        return;
    pages_at_depth_.erase(level);
    while (!answered_.empty()
           && (pages_at_depth_.empty()
               || answered_.begin()->first <= pages_at_depth_.begin()->first)) {
        auto next = answered_.extract(answered_.begin());
        for (Item& item : next.mapped())
            let_in(std::move(item));
    }
}

/// It may be fetched: the next worker takes it.
void MemoryFrontier::let_in(Item item) {
    if (!is_closed_)
        (item.purpose == Purpose::check_foreign ? foreign_queue_ : queue_)
            .put_nowait(std::move(item));
}

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get() { return get_from(queue_); }

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get_foreign() {
    return get_from(foreign_queue_);
}

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get_from(ReadyQueue& queue) {
    while (true) {
        Item item = co_await queue.get();
        queue.task_done(); // `counts_` counts what is unfinished
        if (drop_if_full(item))
            continue;
        if (!item.refusal && !item.is_answered && has_ended(item)) {
            let_in_ended(std::move(item)); // since it was let in
            continue;
        }
        if (!item.refusal && !item.is_answered && !gate_.may_begin(host_of(item.url))) {
            leave_gate(item); // its host has been held since it was let in
            item.goes_first = true;
            const std::string host = host_of(item.url);
            gate_.enter(host, std::move(item));
            continue;
        }
        take(item);
        co_return Visit<MemoryFrontier>(*this, std::move(item));
    }
}

/// Now it is out.
void MemoryFrontier::take(Item& item) {
    ++counts_.out;
    if (item.refusal && item.refusal->failure == nullptr)
        return; // a refusal isn't a try
    ++item.tries;
    if (std::exchange(item.was_tried, true))
        return;
    item.begun = loop_.time();
    if (++taken_ == settings_.max_pages)
        drop_what_waits();
}

void MemoryFrontier::began(Item& item) {
    item.has_begun = true;
    if (item.is_answered) // its answer may be gone
        return;
    const std::string host = host_of(item.url);
    gate_.begin(host);
    item.epoch = gate_.epoch(host);
}

void MemoryFrontier::done(Item item, Record& record, const Found& found) {
    const KnownUrl::Number number = urls_.number_of(item.url);
    KnownUrl& page = urls_[number];
    const auto origin = [&](std::uint32_t depth) {
        return Origin{
            .page = number, .depth = depth, .redirects_left = settings_.max_redirects};
    };
    for (const common::Url& link : found.links) {
        KnownUrl& known = urls_[link];
        if (known.is_new())
            ++record.new_links;
        known.meet_on(number);
        if (item.depth < settings_.max_depth)
            add(known, origin(item.depth + 1));
    }
    for (const Reference& reference : found.references) {
        KnownUrl& known = urls_[reference.url];
        known.meet_on(number);
        // What belongs to a page isn't further away from a root.
        const bool is_link = common::leads_on(reference.role);
        if (is_link && item.depth >= settings_.max_depth)
            continue;
        Origin there = origin(is_link ? item.depth + 1 : item.depth);
        there.purpose = reference.purpose;
        there.role = reference.role;
        add(known, there);
    }
    if (found.redirect) // the same depth: a redirect isn't a link
        add(urls_[*found.redirect], {.page = number,
                                     .depth = item.depth,
                                     .redirects_left = item.redirects_left - 1,
                                     .purpose = found.redirect_purpose,
                                     .role = page.role});
    note_fragments(found, number);
    if (page.parent != KnownUrl::none)
        record.parent = urls_[page.parent].url;
    if (page.parent != KnownUrl::none)
        record.role = page.role;
    record.depth = page.depth;
    page.state =
        is_dead(record.outcome) ? KnownUrl::State::dead : KnownUrl::State::fetched;
    come_in(item);
    finish_one(item.purpose, item.depth);
}

void MemoryFrontier::note_fragments(const Found& found, KnownUrl::Number page) {
    if (!settings_.checks.fragments)
        return;
    if (found.ids)
        fragments_.read(page, *found.ids);
    else if (found.redirect && !found.redirect_has_fragment)
        fragments_.redirect(page, urls_.number_of(*found.redirect));
    else
        fragments_.forget(page);
    std::vector<KnownUrl::Number> numbers;
    numbers.reserve(found.fragments.pages.size());
    for (const common::Url& url : found.fragments.pages)
        numbers.push_back(urls_.find_number(url));
    fragments_.point(page, numbers, found.fragments);
}

void MemoryFrontier::add_listed(const common::Url& url, const common::Url& sitemap) {
    add(urls_[url], {.page = urls_.number_of(sitemap),
                     .depth = 0,
                     .redirects_left = settings_.max_redirects,
                     .role = common::LinkRole::sitemap});
}

std::vector<Record> MemoryFrontier::missing_fragments() const {
    return records_of_missing(fragments_, urls_);
}

void MemoryFrontier::put_off(Item item, EventLoop::Duration wait) {
    if (has_ended(item))
        wait = {};
    park(std::move(item), wait);
}

// [put-off]
void MemoryFrontier::park(Item item, EventLoop::Duration wait) {
    come_in(item);
    item.goes_first = true;
    parked_.park(std::move(item), loop_.time() + wait);
}
// [/put-off]

void MemoryFrontier::give_back(Item item) {
    come_in(item);
    if (item.tries > 0)
        --item.tries;
    item.goes_first = true;
    if (!loop_.closed())
        admit(std::move(item));
}

/// It's no longer out.
void MemoryFrontier::come_in(Item& item) {
    --counts_.out;
    leave_gate(item);
    item.has_begun = false;
}

void MemoryFrontier::leave_gate(Item& item) {
    if (is_closed_ || loop_.closed() || !item.is_inside)
        return;
    item.is_inside = false;
    gate_.leave(host_of(item.url), item.has_begun);
    if (item.purpose != Purpose::check_foreign)
        return;
    --foreign_hosts_;
    if (!foreign_line_.empty()) {
        Item next = std::move(foreign_line_.front());
        foreign_line_.pop_front();
        set_out(std::move(next));
    }
}

// ---- What hosts say about our pace ----

void MemoryFrontier::answered(const Item& item) {
    if (item.is_inside && item.has_begun)
        gate_.answered(host_of(item.url));
}

void MemoryFrontier::refused(const Item& item, EventLoop::Duration wait) {
    const std::string host = host_of(item.url);
    gate_.hold(host, wait);
    if (!item.is_inside || !item.has_begun)
        return;
    gate_.refused(host, item.epoch);
    if (gate_.refused_for(host) >= settings_.refused_timeout)
        end_host(host, fmt::format("its server has refused everything for {} s",
                                   settings_.refused_timeout.count()));
}

void MemoryFrontier::busy(const Item& item, EventLoop::Duration wait) {
    const std::string host = host_of(item.url);
    gate_.hold(host, wait);
    if (item.is_inside && item.has_begun)
        gate_.busy(host, item.epoch);
}

/// What is in line leaves it; what is elsewhere is stopped on its way.
void MemoryFrontier::end_host(const std::string& host, std::string reason) {
    auto refusal = std::make_shared<const Refusal>(
        Refusal{.reason = std::move(reason), .failure = nullptr, .has_ended = true});
    if (!ended_.emplace(host, std::move(refusal)).second)
        return;
    for (Item& item : gate_.take_all_of(host))
        let_in_ended(std::move(item));
    parked_.hurry([this](const Item& item) { return has_ended(item); });
}

/// It has been let in, or would be, but its host is asked nothing more.
void MemoryFrontier::let_in_ended(Item item) {
    leave_gate(item);
    item.refusal = ended_.at(host_of(item.url));
    let_in(std::move(item));
}

void MemoryFrontier::hold(const std::string& host, EventLoop::Duration duration) {
    gate_.hold(host, duration);
}

void MemoryFrontier::set_delay(const std::string& host, EventLoop::Duration delay) {
    gate_.set_delay(host, delay);
}

void MemoryFrontier::has_asked(const std::string& host) { gate_.has_asked(host); }

// ---- The end ----

/// After `max_pages`, only work that has begun continues.
bool MemoryFrontier::drop_if_full(Item& item) {
    if (item.was_tried || !is_full())
        return false;
    counts_.has_left_some = true;
    leave_gate(item);
    finish_one(item.purpose, item.depth);
    return true;
}

void MemoryFrontier::drop_what_waits() {
    std::vector<Item> all = gate_.take_all();
    for (Item& item : std::exchange(foreign_line_, {})) {
        gate_.leave(host_of(item.url), false);
        item.is_inside = false;
        all.push_back(std::move(item));
    }
    for (Item& item : robots_.take_all()) {
        if (item.purpose == Purpose::check_foreign)
            leave_gate(item);
        all.push_back(std::move(item));
    }
    for (auto& [depth, items] : std::exchange(answered_, {}))
        std::ranges::move(items, std::back_inserter(all));
    settings_.withdraw_questions();
    for (Item& item : all) {
        if (item.was_tried) {
            admit(std::move(item));
        } else {
            counts_.has_left_some = true;
            finish_one(item.purpose, item.depth);
        }
    }
}

void MemoryFrontier::finish_one(Purpose purpose, std::uint32_t depth) {
    if (purpose == Purpose::follow && keeps_levels())
        leave_level(depth);
    if (purpose == Purpose::follow && --to_follow_ == 0)
        admit_deferred();
    if (--counts_.unfinished == 0)
        nothing_left_.set();
}

Coroutine<> MemoryFrontier::join(TimeLimit limit) {
    if (limit)
        co_await wait_for(nothing_left_.wait(), *limit);
    else
        co_await nothing_left_.wait();
    if (!counts_.has_left_some)
        urls_.check_that_none_is_lost();
}

Coroutine<> MemoryFrontier::close() {
    is_closed_ = true;
    robots_.take_all();
    settings_.withdraw_questions();
    for (ReadyQueue* const queue : {&queue_, &foreign_queue_}) {
        while (!queue->empty()) {
            queue->get_nowait();
            queue->task_done();
        }
    }
    co_return;
}

} // namespace stage3
