// Something to be done when a scope is left, however that happens.
#pragma once

#include <utility>

namespace stage3 {

/// Calls the function when it dies. In a coroutine, that is also when somebody has asked
/// it to end, and when it's destroyed in the middle.
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
