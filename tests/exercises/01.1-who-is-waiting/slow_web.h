// A slow server, threads and a mutex, whose clocks are computed. Nothing to edit here.
//
// The threads are real, but each has its own clock, which only moves while the thread
// waits: for an answer, for another thread, or for a mutex. So a scene takes as long as
// it would on a machine with nothing else to do, however busy the machine really is.
#pragma once

#include <functional>
#include <mutex>
#include <thread>

namespace slow_web {

/// How long the server takes to answer, in milliseconds.
constexpr int latency = 50;

/// Fetches a page as page 01's blocking_fetch does: sleeps until the answer has come.
void fetch(const char* page);

/// A thread, which runs `work`.
class Thread {
  public:
    explicit Thread(std::function<void()> work);
    /// Blocks until its work is done.
    void join();

  private:
    int ended_ = 0;
    std::thread thread_; // last: it uses the others
};

/// For std::scoped_lock. `lock` blocks while another thread holds it.
class Mutex {
  public:
    void lock();
    void unlock();

  private:
    std::mutex mutex_;
    int free_since_ = 0;
};

/// What has been found out about a scene.
struct Timing {
    int milliseconds;    ///< how long it took
    int most_threads;    ///< how many threads there were at once, `main` included
    int asleep_after_25; ///< how many of them were asleep after 25 ms
};

/// Plays a scene. The calling thread is its `main`.
Timing play(const std::function<void()>& scene);

} // namespace slow_web
