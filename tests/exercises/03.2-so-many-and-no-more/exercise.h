// Starts jobs, but only so many at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

/// A job calls this when it has ended.
using Ended = std::function<void()>;

/// Begins something, such as a fetch, and returns. It calls `ended` once: some turns of
/// the loop later or, if there is nothing to wait for, before it returns. A job that has
/// begun and has not ended is in flight.
using Job = std::function<void(Ended ended)>;

class Limiter {
  public:
    Limiter() = default;
    Limiter(const Limiter&) = delete;
    Limiter& operator=(const Limiter&) = delete;
    virtual ~Limiter() = default;

    /// Starts `job` when there is room for it: now, or when another has ended. Jobs start
    /// in the order in which they were added. No job is started inside another: if one
    /// ends at once, or adds others, then the next ones start after it has returned.
    virtual void add(Job job) = 0;
};

/// Your limiter, which keeps at most `at_most` jobs in flight (1 or more). It outlives
/// its jobs. Defined in yours.cpp.
std::unique_ptr<Limiter> make_your_limiter(std::size_t at_most);
