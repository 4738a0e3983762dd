// What is ready to run.
//
// The real one is runtime/loop/run_queue.h. Page 10 of the book.
#pragma once

#include <utility>

namespace stage3::small {

// [runnable]
/// Something that can run, such as a task to be resumed. It holds its own link, so it can
/// be in only one queue at a time, and being there costs nothing.
class Runnable {
  public:
    virtual void run() = 0;

    Runnable() = default;
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

  protected:
    ~Runnable() = default;

  private:
    friend class RunQueue;
    Runnable* next_ = nullptr; // follows this one in its queue
};
// [/runnable]

// [run-queue]
/// First in, first out. Owns nothing.
class RunQueue {
  public:
    bool empty() const { return first_ == nullptr; }

    void push(Runnable& one) {
        (empty() ? first_ : last_->next_) = &one;
        last_ = &one;
    }

    /// Moves everything in `other` to the end, in one step however long it is.
    void append(RunQueue& other) {
        if (other.empty())
            return;
        (empty() ? first_ : last_->next_) = std::exchange(other.first_, nullptr);
        last_ = other.last_;
    }

    Runnable& pop() {
        Runnable& one = *first_;
        first_ = std::exchange(one.next_, nullptr);
        return one;
    }

  private:
    Runnable* first_ = nullptr;
    Runnable* last_ = nullptr; // meaningful only if there is a first
};
// [/run-queue]

} // namespace stage3::small
