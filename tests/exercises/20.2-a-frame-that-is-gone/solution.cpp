// An awaiter lies in the frame of whoever waits, and dies with it. So it is the right one
// to take the timer back: it does so however the frame ends. And what is read of a watch
// is read while there is one.
#include "exercise.h"

#include <coroutine>

using stage3::EventLoop;

namespace {

/// `co_await Pause(loop, duration)`: goes on when so much time is over.
class Pause {
  public:
    Pause(EventLoop& loop, EventLoop::Duration duration)
        : loop_(loop), duration_(duration) {}
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { timer_.cancel(); } // nothing, if it has fired

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) {
        timer_ = loop_.call_later(duration_, [waiter] { waiter.resume(); });
    }
    void await_resume() const noexcept {}

  private:
    EventLoop& loop_;
    EventLoop::Duration duration_;
    stage3::Handle timer_;
};

/// Whoever calls it keeps `looks`, and the loop, until the frame is destroyed.
Job watch(EventLoop& loop, Look look, std::string server, EventLoop::Duration pause,
          int& looks) {
    while (true) {
        look(server);
        ++looks;
        co_await Pause(loop, pause);
    }
}

} // namespace

void Watches::start(const std::string& server, EventLoop::Duration pause) {
    Watch& one = watches_[server];
    one.job = watch(loop_, look_, server, pause, one.looks);
}

int Watches::stop(const std::string& server) {
    const auto found = watches_.find(server);
    const int looks = found->second.looks;
    watches_.erase(found); // destroys the frame
    return looks;
}
