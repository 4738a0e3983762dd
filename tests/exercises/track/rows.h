// What the rows' tests share. They include the reader's headers by name; nothing here
// needs more of those than the loop.
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

/// What a test records: words, each followed by a blank.
class Log {
  public:
    void note(const std::string& word) { text += word + ' '; }

    std::string text;
};

/// What most tests need: a loop, and a record.
template <class Loop>
struct Row {
    Loop loop;
    Log log;
};

/// The error in these tests.
struct Rain : std::runtime_error {
    Rain() : std::runtime_error("it rains") {}
};

/// Counts how many of these exist, and how many have been destroyed; one that was moved
/// from doesn't count.
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

/// Records a word when it runs.
class Note final : public yours::Runnable {
  public:
    Note(Log& log, std::string word) : log_(log), word_(std::move(word)) {}
    void run() override { log_.note(word_); }

  private:
    Log& log_;
    std::string word_;
};

/// Runs this many turns, none of which sleeps. A loop's timers are left alone.
inline void turns(yours::EventLoop& loop, int count) {
    for (int i = 0; i < count; ++i)
        loop.turn(0ms);
}

using Clock = std::chrono::steady_clock;

/// Runs a loop with timers until `over` returns true, or for two seconds. Returns what
/// `over` returns then. A timer wakes the loop every now and then to check the time.
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
