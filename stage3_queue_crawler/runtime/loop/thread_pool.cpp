#include "stage3_queue_crawler/runtime/loop/thread_pool.h"

#include "stage3_queue_crawler/runtime/loop/helper_thread.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace stage3 {

ThreadPool::ThreadPool(std::size_t threads)
    : max_threads_(std::max(std::size_t{1}, threads)) {}

void ThreadPool::join() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : std::exchange(threads_, {}))
        thread.join();
}

bool ThreadPool::has_thread() {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) {
        try {
            start_thread();
        } catch (const std::exception&) {
            return false;
        }
    }
    return true;
}

void ThreadPool::submit(MoveOnlyFunction job) {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= idle_ && threads_.size() < max_threads_) {
        try {
            start_thread();
        } catch (const std::exception&) {
            if (threads_.empty())
                throw;
            // No further thread can be started. Those that there are will do it.
        }
    }
    jobs_.push_back(std::move(job));
    changed_.notify_one();
}

bool ThreadPool::is_busy() {
    const std::lock_guard lock(mutex_);
    return !jobs_.empty() || idle_ < threads_.size();
}

void ThreadPool::start_thread() {
    threads_.emplace_back(); // its place first: a thread that runs must have one
    try {
        threads_.back() = start_helper_thread([this] { work(); });
    } catch (...) {
        threads_.pop_back();
        throw;
    }
}

void ThreadPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        --idle_;
        if (ending_)
            return;
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = {};
        lock.lock();
    }
}

} // namespace stage3
