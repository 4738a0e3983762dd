// A queue of things that are to run.
//
// The loop has one, of what is ready. Each future has one, of what waits for it. Moving
// from the second to the first is all that happens when a future gets its result. Waiting
// has to cost nothing, so each element holds its own link, and no queue ever allocates.
#pragma once

#include <cstddef>
#include <utility>

namespace common {
class Tracer;
}

namespace stage3 {

/// Something that can run: a callback, or a task to be resumed. It is in one queue at a
/// time, and must live until it has run or was dropped.
class Runnable {
  public:
    Runnable() = default;
    Runnable(const Runnable&) = delete;
    Runnable& operator=(const Runnable&) = delete;

    virtual void run() noexcept = 0;

    /// It won't run: the queue that it was in is gone.
    virtual void drop() noexcept = 0;

    /// Running it would do nothing.
    virtual bool unwanted() const noexcept { return false; }

    /// What it waited for is done, so it will run.
    virtual void becomes_ready() noexcept {}

    /// Traces that it is ready.
    virtual void trace_ready(common::Tracer& /*tracer*/) const {}

  protected:
    ~Runnable() = default;

  private:
    friend class RunQueue;
    Runnable* next_ = nullptr;
};

/// First in, first out. What is left when it dies is dropped.
class RunQueue {
  public:
    RunQueue() = default;
    RunQueue(RunQueue&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)),
          last_(std::exchange(other.last_, nullptr)) {}
    RunQueue& operator=(RunQueue&&) = delete;
    RunQueue(const RunQueue&) = delete;
    RunQueue& operator=(const RunQueue&) = delete;
    ~RunQueue() { clear(); }

    bool empty() const { return first_ == nullptr; }

    /// `one` must not be in any queue.
    void push(Runnable& one) noexcept {
        one.next_ = nullptr;
        (first_ == nullptr ? first_ : last_->next_) = &one;
        last_ = &one;
    }

    /// Takes over everything in `other`, in its order.
    void append(RunQueue&& other) noexcept {
        if (other.empty())
            return;
        (first_ == nullptr ? first_ : last_->next_) = other.first_;
        last_ = std::exchange(other.last_, nullptr);
        other.first_ = nullptr;
    }

    /// Takes out the first. There must be one.
    Runnable& pop() noexcept {
        Runnable& one = *first_;
        first_ = std::exchange(one.next_, nullptr);
        return one;
    }

    /// Calls `function` with each that isn't unwanted, in order.
    template <class F>
    void for_each(F function) {
        for (Runnable* one = first_; one != nullptr; one = one->next_)
            if (!one->unwanted())
                function(*one);
    }

    /// Drops those that are unwanted. Returns how many others there are.
    unsigned drop_unwanted() noexcept {
        unsigned left = 0;
        for (RunQueue all(std::move(*this)); !all.empty();) {
            Runnable& one = all.pop();
            if (one.unwanted()) {
                one.drop();
            } else {
                push(one);
                ++left;
            }
        }
        return left;
    }

    /// Drops all.
    void clear() noexcept {
        while (!empty())
            pop().drop();
    }

  private:
    Runnable* first_ = nullptr;
    Runnable* last_ = nullptr;
};

} // namespace stage3
