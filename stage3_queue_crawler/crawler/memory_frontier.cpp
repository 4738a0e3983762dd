#include "stage3_queue_crawler/crawler/memory_frontier.h"

#include "stage3_queue_crawler/crawler/host.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

MemoryFrontier::MemoryFrontier(EventLoop& loop, FrontierSettings settings)
    : loop_(loop), settings_(std::move(settings)), queue_(0, Order(settings_.order)),
      gate_(loop, settings_.politeness, Order(settings_.order),
            [this](Work work, Passage passage) {
                work.goes_first = work.goes_first || passage == Passage::from_line;
                let_in(std::move(work));
            }),
      robots_(loop, settings_.ask_robots,
              [this](Work work, std::optional<Robots::Duration> delay) {
                  if (work.refusal) {
                      let_in(std::move(work)); // it needs no gate
                      return;
                  }
                  const std::string host = host_of(work.url);
                  if (delay)
                      set_delay(host, std::chrono::ceil<EventLoop::Duration>(*delay));
                  gate_.enter(host, std::move(work));
              }),
      parked_(loop, [this](Work work) { admit(std::move(work)); }) {
    nothing_left_.set();
}

Coroutine<> MemoryFrontier::open(std::vector<common::Url> roots) {
    for (const common::Url& root : roots)
        add(urls_[root], KnownUrl::none, 0, settings_.max_redirects);
    co_return;
}

/// Turns a URL into work, unless it already is or was.
void MemoryFrontier::add(KnownUrl& url, KnownUrl::Number page, std::uint32_t depth,
                         int redirects_left) {
    if (url.state != KnownUrl::State::met)
        return;
    url.state = KnownUrl::State::queued;
    url.parent = page;
    url.depth = depth;
    if (is_full()) {
        counts_.has_left_some = true;
        return;
    }
    ++counts_.unfinished;
    nothing_left_.clear();
    Work work(url.url);
    work.is_root = page == KnownUrl::none;
    work.depth = depth;
    work.redirects_left = redirects_left;
    admit(std::move(work));
}

/// Puts it in line for its origin's robots.txt, and then for its host.
void MemoryFrontier::admit(Work work) {
    if (is_closed_)
        return;
    if (settings_.ask_robots) {
        robots_.enter(std::move(work));
        return;
    }
    const std::string host = host_of(work.url);
    gate_.enter(host, std::move(work));
}

/// It may be fetched: the next worker takes it.
void MemoryFrontier::let_in(Work work) {
    if (!is_closed_)
        queue_.put_nowait(std::move(work));
}

Coroutine<Visit<MemoryFrontier>> MemoryFrontier::get() {
    while (true) {
        Work work = co_await queue_.get();
        queue_.task_done(); // `counts_` counts what is unfinished
        if (drop_if_full(work))
            continue;
        if (!work.refusal && !gate_.may_begin(host_of(work.url))) {
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
    gate_.begin(host_of(work.url));
}

void MemoryFrontier::done(Work work, Record& record, const Found& found) {
    const KnownUrl::Number number = urls_.number_of(work.url);
    KnownUrl& page = urls_[number];
    for (const common::Url& link : found.links) {
        KnownUrl& known = urls_[link];
        if (known.is_new())
            ++record.new_links;
        known.meet_on(number);
        if (work.depth < settings_.max_depth)
            add(known, number, work.depth + 1, settings_.max_redirects);
    }
    if (found.redirect) // the same depth: a redirect isn't a link
        add(urls_[*found.redirect], number, work.depth, work.redirects_left - 1);
    if (page.parent != KnownUrl::none)
        record.parent = urls_[page.parent].url;
    record.depth = page.depth;
    page.state =
        is_dead(record.outcome) ? KnownUrl::State::dead : KnownUrl::State::fetched;
    come_in(work);
    finish_one();
}

// [put-off]
void MemoryFrontier::put_off(Work work, EventLoop::Duration wait) {
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

void MemoryFrontier::leave_gate(const Work& work) {
    if (!work.refusal && !is_closed_ && !loop_.closed())
        gate_.leave(host_of(work.url), work.has_begun);
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
bool MemoryFrontier::drop_if_full(const Work& work) {
    if (work.was_tried || !is_full())
        return false;
    counts_.has_left_some = true;
    leave_gate(work);
    finish_one();
    return true;
}

void MemoryFrontier::drop_what_waits() {
    std::vector<Work> all = robots_.take_all();
    for (Work& work : gate_.take_all())
        all.push_back(std::move(work));
    settings_.withdraw_questions();
    for (Work& work : all) {
        if (work.was_tried) {
            admit(std::move(work));
        } else {
            counts_.has_left_some = true;
            finish_one();
        }
    }
}

void MemoryFrontier::finish_one() {
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
    while (!queue_.empty()) {
        queue_.get_nowait();
        queue_.task_done();
    }
    co_return;
}

} // namespace stage3
