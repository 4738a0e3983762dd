// How a task fails: with the exception, and the way that it came through the coroutines.
// Page 09 of the book.
#pragma once

#include "common/trace/place.h"

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace stage2 {

using common::Place;

/// Told when a coroutine calls another one, and when that one has ended: for traces.
class Witness {
  public:
    Witness() = default;
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    virtual void called(const Place& caller, const Place& callee) = 0;
    virtual void ended(const Place& caller, const Place& callee) = 0;

  protected:
    ~Witness() = default;
};

/// An exception has left a task's coroutine. That exception is nested in this one
/// (std::rethrow_if_nested); `what()` tells the way that it came.
struct TaskFailed : std::runtime_error, std::nested_exception {
    /// Call it in a handler. `chain`: the coroutines that the exception has left, the
    /// outermost first.
    explicit TaskFailed(const std::vector<Place>& chain);
};

/// The failure as a person reads it: the coroutines from the outermost to the innermost,
/// the plain functions that it had called where that is known, and what went wrong.
std::string describe(const TaskFailed& failure);

} // namespace stage2
