// What the tests of all steps from Y02 on share. It needs the reader's event_loop.h.
#pragma once

#include "event_loop.h"
#include "tests/support/prelude.h"
#include "tests/support/socket_pair.h"

#include <csignal>

#include <sys/socket.h>
#include <sys/time.h>

namespace track {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// A loop, and what was reported: words, each followed by a blank.
template <class Loop>
struct Test {
    Loop loop;
    std::string told;

    /// Turns, and never sleeps. A loop's timers are left alone.
    void turn(int times = 1) {
        for (; times > 0; --times)
            loop.yours::EventLoop::turn(0ms);
    }
};

/// Reports its name when it runs, and then does something.
class Named final : public yours::Runnable {
  public:
    Named(
        std::string& told, std::string name, std::function<void()> then = [] {})
        : told_(told), name_(std::move(name)), then_(std::move(then)) {}
    void run() override {
        told_ += name_ + " ";
        then_();
    }

  private:
    std::string& told_;
    std::string name_;
    std::function<void()> then_;
};

/// Makes itself ready whenever it runs, a hundred times at most.
class Again final : public yours::Runnable {
  public:
    explicit Again(yours::EventLoop& loop) : loop_(loop) { loop.make_ready(*this); }
    void run() override {
        if (++times < 100)
            loop_.make_ready(*this);
    }
    int times = 0;

  private:
    yours::EventLoop& loop_;
};

inline void send_byte(const common::Socket& socket) {
    REQUIRE(::send(socket.fd(), "x", 1, 0) == 1);
}

/// Wakes a loop after a while, as a server would: a byte arrives at a socket that the
/// loop watches. So a sleep that would never end does end, and the test can say what is
/// wrong.
class Alarm {
  public:
    explicit Alarm(yours::EventLoop& loop, Milliseconds delay = 0ms) : loop_(loop) {
        loop.watch(pair_.near.fd(), common::Events::read, [this] { rang_ = true; });
        far_end = pair_.far.fd();
        std::signal(SIGALRM, [](int) { static_cast<void>(::send(far_end, "x", 1, 0)); });
        ring_after(delay);
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() {
        ring_after(0ms); // never
        loop_.unwatch(pair_.near.fd());
    }

    /// From now on; an earlier setting no longer counts.
    static void ring_after(Milliseconds delay) {
        itimerval timer{};
        timer.it_value.tv_sec = static_cast<time_t>(delay.count() / 1000);
        timer.it_value.tv_usec = static_cast<suseconds_t>(delay.count() % 1000 * 1000);
        ::setitimer(ITIMER_REAL, &timer, nullptr);
    }

    /// Whether it was this that ended a turn.
    bool rang() const { return rang_; }

  private:
    static inline volatile std::sig_atomic_t far_end = -1;

    yours::EventLoop& loop_;
    tests::SocketPair pair_;
    bool rang_ = false;
};

} // namespace track
