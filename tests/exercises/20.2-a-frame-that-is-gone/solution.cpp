// An awaiter lives in the frame of the coroutine that waits, and dies with it, however
// the frame ends. That makes it the right object to cancel the timer. And a watch is read
// only while it exists.
#include "exercise.h"

#include <coroutine>

using stage3::EventLoop;

namespace {

/// `co_await Pause(loop, duration)`: resumes when that much time has passed.
class Pause {
  public:
    Pause(EventLoop& loop, EventLoop::Duration duration)
        : loop_(loop), duration_(duration) {}
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause() { timer_.cancel(); } // does nothing if it has fired

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

/// The caller keeps `looks` and the loop until the frame is destroyed.
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
