// A few threads, for what would block the loop's thread.
//
// The loop has a pool of its own, which ends before the loop does. A program may have
// others, and these may outlive it. They get their work from executor/executor.h. Page 12
// of the book.
#pragma once

#include "stage3_queue_crawler/runtime/loop/move_only_function.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace stage3 {

/// Threads that take jobs from a queue. Started when they are needed.
class ThreadPool {
  public:
    /// `threads`: how many there may be; at least 1.
    explicit ThreadPool(std::size_t threads);
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    /// Waits for the jobs that have begun, and drops the others.
    ~ThreadPool() { join(); }
    /// Waits for the jobs that have begun. No other will begin.
    void join();

    /// How many threads there may be.
    std::size_t max_threads() const { return max_threads_; }
    /// True if there is a thread, or one could be started now: then `submit` will not
    /// fail for want of one.
    bool has_thread();
    /// `job` must not throw. It's destroyed when it is done, in the thread that did it;
    /// or with the pool, if it never began. Throws std::system_error, or std::bad_alloc,
    /// if there is no thread at all and none can be started, or no memory to keep the
    /// job.
    void submit(MoveOnlyFunction job);
    /// True if a job is being done, or waits for a thread.
    bool is_busy();

  private:
    void start_thread();
    void work();

    const std::size_t max_threads_;
    std::vector<std::thread> threads_;
    std::mutex mutex_; // guards what follows
    std::condition_variable changed_;
    std::deque<MoveOnlyFunction> jobs_;
    std::size_t idle_ = 0;
    bool ending_ = false;
};

} // namespace stage3
