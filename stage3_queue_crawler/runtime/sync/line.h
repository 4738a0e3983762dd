// A line of waiters: first come, first served.
#pragma once

#include "stage3_queue_crawler/runtime/task/future.h"

#include <cstddef>
#include <source_location>

namespace stage3 {

template <class Waiter>
class Line;

/// Is in a line, and waits for `future`. Lives in the frame of the coroutine that waits,
/// and holds its own links, so that standing in line needs no memory.
/// `Waiter` is the class that derives from this.
template <class Waiter, class T>
class Waiting {
  public:
    Waiting(const Waiting&) = delete; // NOLINT(bugprone-crtp-constructor-accessibility)
    Waiting& operator=(const Waiting&) = delete;
    /// Leaves the line, however the wait has ended.
    ~Waiting() { leave(); }

    Future<T> future; ///< resolved when this one is served

  private:
    friend Waiter;
    friend class Line<Waiter>;
    explicit Waiting(Line<Waiter>& line,
                     std::source_location at = std::source_location::current())
        : future(at), line_(&line), previous_(line.last_) {
        auto* const self = static_cast<Waiter*>(this);
        (previous_ == nullptr ? line.first_ : previous_->next_) = self;
        line.last_ = self;
        ++line.size_;
    }

    void leave() {
        if (line_ == nullptr)
            return;
        (previous_ == nullptr ? line_->first_ : previous_->next_) = next_;
        (next_ == nullptr ? line_->last_ : next_->previous_) = previous_;
        --line_->size_;
        line_ = nullptr;
    }

    Line<Waiter>* line_; // nullptr: it has left
    Waiter* previous_;
    Waiter* next_ = nullptr;
};

/// Should outlive its waiters: once it's gone, nothing will ever serve them.
template <class Waiter>
class Line {
  public:
    Line() = default;
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line() {
        while (first_ != nullptr)
            first_->leave();
    }

    /// Takes out the first that still waits. Those that have been cancelled, but not yet
    /// resumed, are passed over. nullptr: none waits.
    Waiter* next() {
        while (first_ != nullptr) {
            Waiter* const one = first_;
            one->leave();
            if (!one->future.done())
                return one;
        }
        return nullptr;
    }
    /// How many are in it.
    std::size_t size() const { return size_; }

  private:
    template <class, class>
    friend class Waiting;
    Waiter* first_ = nullptr;
    Waiter* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace stage3
