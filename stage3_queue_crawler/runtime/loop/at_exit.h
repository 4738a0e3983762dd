// Something to be done when a scope is left, however that happens.
#pragma once

#include <utility>

namespace stage3 {

/// Calls the function when it dies. In a coroutine, that is also when the coroutine was
/// asked to end, and when its frame is destroyed before it has ended.
template <class Function>
class AtExit {
  public:
    /// `function` must not throw.
    explicit AtExit(Function function) : function_(std::move(function)) {}
    AtExit(const AtExit&) = delete;
    AtExit& operator=(const AtExit&) = delete;
    ~AtExit() { function_(); }

  private:
    Function function_;
};

} // namespace stage3
