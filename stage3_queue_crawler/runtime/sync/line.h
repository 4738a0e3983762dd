// A line of waiters: first come, first served.
#pragma once

#include "stage3_queue_crawler/runtime/task/future.h"

#include <cstddef>
#include <list>
#include <source_location>
#include <utility>

namespace stage3 {

template <class Waiter>
class Line;

/// Is in a line, and waits for `future`. Lives in the frame of the coroutine that waits.
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
        : future(at), line_(line),
          place_(line.places_.insert(line.places_.end(), static_cast<Waiter*>(this))) {}

    void leave() {
        if (std::exchange(in_line_, false))
            line_.places_.erase(place_);
    }

    Line<Waiter>& line_;
    typename std::list<Waiter*>::iterator place_;
    bool in_line_ = true;
};

/// Should outlive its waiters: once it's gone, nothing will ever serve them.
template <class Waiter>
class Line {
  public:
    Line() = default;
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    ~Line() {
        for (Waiter* const one : places_)
            one->in_line_ = false;
    }

    /// Takes out the first that still waits. Those that have been cancelled, but not yet
    /// resumed, are passed over. nullptr: none waits.
    Waiter* next() {
        while (!places_.empty()) {
            Waiter* const one = places_.front();
            one->leave();
            if (!one->future.done())
                return one;
        }
        return nullptr;
    }
    /// How many are in it.
    std::size_t size() const { return places_.size(); }

  private:
    template <class, class>
    friend class Waiting;
    std::list<Waiter*> places_;
};

} // namespace stage3
