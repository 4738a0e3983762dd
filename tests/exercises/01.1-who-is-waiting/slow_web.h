// A slow server, threads and a mutex, with clocks that are computed. There is nothing to
// edit here.
//
// The threads are real. But each has a clock of its own, which only moves when the thread
// waits: for an answer, for another thread, or for a mutex. So a scene takes as long as
// it would on a machine with nothing else to do, whatever the machine is really doing.
#pragma once

#include <functional>
#include <mutex>
#include <thread>

namespace slow_web {

/// How long the server takes to answer, in milliseconds.
constexpr int latency = 50;

/// Fetches a page as blocking_fetch of page 01 does: the thread sleeps until the answer
/// has come.
void fetch(const char* page);

/// A thread, which runs `work`.
class Thread {
  public:
    explicit Thread(std::function<void()> work);
    /// Blocks until its work is done.
    void join();

  private:
    int ended_ = 0;
    std::thread thread_; // last: it uses the other
};

/// For std::scoped_lock. Blocks while another thread holds it.
class Mutex {
  public:
    void lock();
    void unlock();

  private:
    std::mutex mutex_;
    int free_since_ = 0;
};

/// What is known of a scene.
struct Timing {
    int milliseconds;    ///< how long it took
    int most_threads;    ///< how many threads there were at once, `main` included
    int asleep_after_25; ///< how many of them slept, 25 ms after the beginning
};

/// Plays a scene. The calling thread is its `main`.
Timing play(const std::function<void()>& scene);

} // namespace slow_web
