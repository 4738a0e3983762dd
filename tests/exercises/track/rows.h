// What the rows' tests share. They include the headers that the reader has built by their
// names; nothing here needs more of them than the loop.
#pragma once

#include "event_loop.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace rows {

using namespace std::chrono_literals;

/// What a test writes down: words, with a blank behind each.
class Log {
  public:
    void note(const std::string& word) { text += word + ' '; }

    std::string text;
};

/// What most tests need: a loop, and what they write down.
template <class Loop>
struct Row {
    Loop loop;
    Log log;
};

/// What fails in these tests.
struct Rain : std::runtime_error {
    Rain() : std::runtime_error("it rains") {}
};

/// Counts how many there are of it, and how often one has died; where it has been moved
/// from, it doesn't count.
class Probe {
  public:
    struct Count {
        int alive = 0;
        int died = 0;
    };

    explicit Probe(Count& count) : count_(&count) { ++count.alive; }
    Probe(Probe&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
    Probe& operator=(Probe&&) = delete;
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;
    ~Probe() {
        if (count_ == nullptr)
            return;
        --count_->alive;
        ++count_->died;
    }

  private:
    Count* count_;
};

/// Calls a function when it runs.
class Call final : public yours::Runnable {
  public:
    explicit Call(std::function<void()> function) : function_(std::move(function)) {}
    void run() override { function_(); }

  private:
    std::function<void()> function_;
};

/// Notes a word when it runs.
class Note final : public yours::Runnable {
  public:
    Note(Log& log, std::string word) : log_(log), word_(std::move(word)) {}
    void run() override { log_.note(word_); }

  private:
    Log& log_;
    std::string word_;
};

/// Makes so many turns, none of which sleeps. A loop's timers are left alone.
inline void turns(yours::EventLoop& loop, int count) {
    for (int i = 0; i < count; ++i)
        loop.turn(0ms);
}

using Clock = std::chrono::steady_clock;

/// Lets a loop with timers turn until `over` says so, or for two seconds. Returns what
/// `over` says then. (A timer wakes it now and then, so that it can look at the time.)
template <class Loop, class Over>
bool turn_until(Loop& loop, Over over) {
    const auto end = Clock::now() + 2s;
    auto wake = loop.call_later(10ms, [] {});
    const std::function<void()> tick = [&] { wake = loop.call_later(10ms, tick); };
    tick();
    while (!over() && Clock::now() < end)
        loop.turn();
    loop.cancel(wake);
    return over();
}

} // namespace rows
