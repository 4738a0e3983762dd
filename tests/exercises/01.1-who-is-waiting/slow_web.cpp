#include "slow_web.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace slow_web {

namespace {

/// From `begin` up to `end`, which is not part of it.
struct Span {
    int begin;
    int end;
};

thread_local int now = 0; // this thread's clock

std::mutex guard; // guards what follows
std::vector<Span> lives;
std::vector<Span> sleeps;

void note(std::vector<Span>& spans, Span span) {
    const std::scoped_lock lock(guard);
    spans.push_back(span);
}

/// Blocks this thread until that time, unless it has passed.
void sleep_until(int time) {
    if (time <= now)
        return;
    note(sleeps, {now, time});
    now = time;
}

int how_many_at(int time, const std::vector<Span>& spans) {
    return static_cast<int>(std::ranges::count_if(spans, [time](const Span& span) {
        return span.begin <= time && time < span.end;
    }));
}

} // namespace

void fetch(const char* /*page*/) { sleep_until(now + latency); }

Thread::Thread(std::function<void()> work)
    : thread_([this, begin = now, work = std::move(work)] {
          now = begin;
          work();
          ended_ = now;
          note(lives, {begin, now});
      }) {}

void Thread::join() {
    thread_.join();
    sleep_until(ended_);
}

void Mutex::lock() {
    mutex_.lock();
    sleep_until(free_since_);
}

void Mutex::unlock() {
    free_since_ = now;
    mutex_.unlock();
}

Timing play(const std::function<void()>& scene) {
    lives.clear();
    sleeps.clear();
    now = 0;
    scene();
    note(lives, {0, now});
    Timing timing{.milliseconds = now,
                  .most_threads = 0,
                  .asleep_after_25 = how_many_at(25, sleeps)};
    for (const Span& life : lives) // the number is largest just after one begins
        timing.most_threads =
            std::max(timing.most_threads, how_many_at(life.begin, lives));
    return timing;
}

} // namespace slow_web
