// A function that need not be copyable.
//
// A std::function can be copied, so whatever it holds must be copyable. A job for another
// thread holds things of which there must be only one. C++23 has std::move_only_function
// for that; this is as much of it as is needed here.
#pragma once

#include <memory>
#include <utility>

namespace stage3 {

/// Calls a function without arguments, which returns nothing. Can be moved.
class MoveOnlyFunction {
  public:
    MoveOnlyFunction() = default; ///< none: must not be called
    template <class Function>
    MoveOnlyFunction(
        Function function) // NOLINT(google-explicit-constructor): for lambdas
        : held_(std::make_unique<HeldAs<Function>>(std::move(function))) {}

    void operator()() { held_->call(); }

  private:
    struct Held {
        Held() = default;
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        virtual ~Held() = default;
        virtual void call() = 0;
    };
    template <class Function>
    struct HeldAs final : Held {
        explicit HeldAs(Function f) : function(std::move(f)) {}
        void call() override { function(); }
        Function function;
    };

    std::unique_ptr<Held> held_;
};

} // namespace stage3
