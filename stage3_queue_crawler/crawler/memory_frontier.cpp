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
            [this](Work work, Passage passage) {
                work.goes_first = work.goes_first || passage == Passage::from_line;
                work.is_inside = true;
                if (work.purpose == Purpose::check_foreign)
                    go_abroad(std::move(work));
                else
                    let_in(std::move(work));
            }),
      robots_(loop, settings_.ask_robots,
              [this](Work work, std::optional<Robots::Duration> delay) {
                  const std::string host = host_of(work.url);
                  if (delay)
                      set_delay(host, std::chrono::ceil<EventLoop::Duration>(*delay));
                  if (has_ended(work))
                      let_in_ended(std::move(work)); // perhaps robots.txt was refused
                  else if (work.refusal || work.purpose == Purpose::check_foreign)
                      let_in(std::move(work)); // it needs no gate, or came through it
                  else
                      gate_.enter(host, std::move(work));
              }),
      parked_(loop, [this](Work work) { admit(std::move(work)); }) {
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
    Work work(url.url);
    work.is_root = origin.page == KnownUrl::none;
    work.depth = origin.depth;
    work.redirects_left = origin.redirects_left;
    work.purpose = origin.purpose;
    admit(std::move(work));
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
        Work work(url->url);
        work.depth = url->depth;
        work.redirects_left = settings_.max_redirects;
        work.purpose = Purpose::check;
        admit(std::move(work));
    }
}

/// Puts it in line for its origin's robots.txt, and then for its host. On a foreign
/// server, asking for robots.txt has to wait for its turn, too.
void MemoryFrontier::admit(Work work) {
    if (is_closed_)
        return;
    // [answered]
    work.is_answered =
        settings_.needs_no_request && settings_.needs_no_request(work.url, work.purpose);
    if (work.is_answered) {
        let_in_in_turn(std::move(work));
        return;
    }
    // [/answered]
    if (has_ended(work)) {
        let_in_ended(std::move(work));
        return;
    }
    const bool is_foreign = work.purpose == Purpose::check_foreign;
    if (settings_.ask_robots && !is_foreign) {
        robots_.enter(std::move(work));
        return;
    }
    const std::string host = host_of(work.url);
    if (is_foreign)
        gate_.treat_gently(host, settings_.checks.foreign_delay);
    gate_.enter(host, std::move(work));
}

/// It's its host's turn, but there may be too many such hosts.
void MemoryFrontier::go_abroad(Work work) {
    if (hosts_abroad_ >= settings_.checks.foreign_hosts)
        going_abroad_.push_back(std::move(work));
    else
        set_out(std::move(work));
}

void MemoryFrontier::set_out(Work work) {
    ++hosts_abroad_;
    if (settings_.ask_robots && !is_closed_)
        robots_.enter(std::move(work));
    else
        let_in(std::move(work));
}

/// It needs no request, so it waits only for pages that are nearer to a root: if it
/// overtook these, what it leads to would seem deeper than it is.
void MemoryFrontier::let_in_in_turn(Work work) {
    if (keeps_levels() && work.purpose == Purpose::follow
        && pages_at_depth_.begin()->first < work.depth)
        answered_[work.depth].push_back(std::move(work));
    else
        let_in(std::move(work));
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
        for (Work& work : next.mapped())
            let_in(std::move(work));
    }
}

/// It may be fetched: the next worker takes it.
void MemoryFrontier::let_in(Work work) {
    if (!is_closed_)
        (work.purpose == Purpose::check_foreign ? foreign_queue_ : queue_)
            .put_nowait(std::move(work));
}

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get() { return get_from(queue_); }

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get_foreign() {
    return get_from(foreign_queue_);
}

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get_from(ReadyQueue& queue) {
    while (true) {
        Work work = co_await queue.get();
        queue.task_done(); // `counts_` counts what is unfinished
        if (drop_if_full(work))
            continue;
        if (!work.refusal && !work.is_answered && has_ended(work)) {
            let_in_ended(std::move(work)); // since it was let in
            continue;
        }
        if (!work.refusal && !work.is_answered && !gate_.may_begin(host_of(work.url))) {
            leave_gate(work); // its host has been held since it was let in
            work.goes_first = true;
            const std::string host = host_of(work.url);
            gate_.enter(host, std::move(work));
            continue;
        }
        take(work);
        co_return Visit<MemoryFrontier>(*this, std::move(work));
    }
}

/// Now it is out.
void MemoryFrontier::take(Work& work) {
    ++counts_.out;
    if (work.refusal && work.refusal->failure == nullptr)
        return; // a refusal isn't a try
    ++work.tries;
    if (std::exchange(work.was_tried, true))
        return;
    work.begun = loop_.time();
    if (++taken_ == settings_.max_pages)
        drop_what_waits();
}

void MemoryFrontier::began(Work& work) {
    work.has_begun = true;
    if (work.is_answered) // its answer may be gone
        return;
    const std::string host = host_of(work.url);
    gate_.begin(host);
    work.epoch = gate_.epoch(host);
}

void MemoryFrontier::done(Work work, Record& record, const Found& found) {
    const KnownUrl::Number number = urls_.number_of(work.url);
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
        if (work.depth < settings_.max_depth)
            add(known, origin(work.depth + 1));
    }
    for (const Reference& reference : found.references) {
        KnownUrl& known = urls_[reference.url];
        known.meet_on(number);
        // What belongs to a page isn't further away from a root.
        const bool is_link = common::leads_on(reference.role);
        if (is_link && work.depth >= settings_.max_depth)
            continue;
        Origin there = origin(is_link ? work.depth + 1 : work.depth);
        there.purpose = reference.purpose;
        there.role = reference.role;
        add(known, there);
    }
    if (found.redirect) // the same depth: a redirect isn't a link
        add(urls_[*found.redirect], {.page = number,
                                     .depth = work.depth,
                                     .redirects_left = work.redirects_left - 1,
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
    come_in(work);
    finish_one(work.purpose, work.depth);
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

void MemoryFrontier::put_off(Work work, EventLoop::Duration wait) {
    if (has_ended(work))
        wait = {};
    park(std::move(work), wait);
}

// [put-off]
void MemoryFrontier::park(Work work, EventLoop::Duration wait) {
    come_in(work);
    work.goes_first = true;
    parked_.park(std::move(work), loop_.time() + wait);
}
// [/put-off]

void MemoryFrontier::give_back(Work work) {
    come_in(work);
    if (work.tries > 0)
        --work.tries;
    work.goes_first = true;
    if (!loop_.closed())
        admit(std::move(work));
}

/// It's no longer out.
void MemoryFrontier::come_in(Work& work) {
    --counts_.out;
    leave_gate(work);
    work.has_begun = false;
}

void MemoryFrontier::leave_gate(Work& work) {
    if (is_closed_ || loop_.closed() || !work.is_inside)
        return;
    work.is_inside = false;
    gate_.leave(host_of(work.url), work.has_begun);
    if (work.purpose != Purpose::check_foreign)
        return;
    --hosts_abroad_;
    if (!going_abroad_.empty()) {
        Work next = std::move(going_abroad_.front());
        going_abroad_.pop_front();
        set_out(std::move(next));
    }
}

// ---- What hosts say about our pace ----

void MemoryFrontier::answered(const Work& work) {
    if (work.is_inside && work.has_begun)
        gate_.answered(host_of(work.url));
}

void MemoryFrontier::refused(const Work& work, EventLoop::Duration wait) {
    const std::string host = host_of(work.url);
    gate_.hold(host, wait);
    if (!work.is_inside || !work.has_begun)
        return;
    gate_.refused(host, work.epoch);
    if (gate_.refused_for(host) >= settings_.refused_timeout)
        end_host(host, fmt::format("its server has refused everything for {} s",
                                   settings_.refused_timeout.count()));
}

void MemoryFrontier::busy(const Work& work, EventLoop::Duration wait) {
    const std::string host = host_of(work.url);
    gate_.hold(host, wait);
    if (work.is_inside && work.has_begun)
        gate_.busy(host, work.epoch);
}

/// What is in line leaves it; what is elsewhere is stopped on its way.
void MemoryFrontier::end_host(const std::string& host, std::string reason) {
    auto refusal = std::make_shared<const Refusal>(
        Refusal{.reason = std::move(reason), .failure = nullptr, .has_ended = true});
    if (!ended_.emplace(host, std::move(refusal)).second)
        return;
    for (Work& work : gate_.take_all_of(host))
        let_in_ended(std::move(work));
    parked_.hurry([this](const Work& work) { return has_ended(work); });
}

/// It has been let in, or would be, but its host is asked nothing more.
void MemoryFrontier::let_in_ended(Work work) {
    leave_gate(work);
    work.refusal = ended_.at(host_of(work.url));
    let_in(std::move(work));
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
bool MemoryFrontier::drop_if_full(Work& work) {
    if (work.was_tried || !is_full())
        return false;
    counts_.has_left_some = true;
    leave_gate(work);
    finish_one(work.purpose, work.depth);
    return true;
}

void MemoryFrontier::drop_what_waits() {
    std::vector<Work> all = gate_.take_all();
    for (Work& work : std::exchange(going_abroad_, {})) {
        gate_.leave(host_of(work.url), false);
        work.is_inside = false;
        all.push_back(std::move(work));
    }
    for (Work& work : robots_.take_all()) {
        if (work.purpose == Purpose::check_foreign)
            leave_gate(work);
        all.push_back(std::move(work));
    }
    for (auto& [depth, works] : std::exchange(answered_, {}))
        std::ranges::move(works, std::back_inserter(all));
    settings_.withdraw_questions();
    for (Work& work : all) {
        if (work.was_tried) {
            admit(std::move(work));
        } else {
            counts_.has_left_some = true;
            finish_one(work.purpose, work.depth);
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
