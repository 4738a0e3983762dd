// A coroutine that can be awaited.
//
// Stage 2 took generators and taught them to wait. This is what remains when waiting is
// all they do: a function that runs when it is awaited, and hands over what it returns or
// throws. It is *lazy*: a call runs nothing.
//
// One coroutine awaits another without the loop: `co_await child()` only notes that the
// child is resumed next, and when the child ends, that its caller is. The task resumes
// them one after the other, from one place (TaskBase::run). So the stack doesn't grow,
// however deep or long the chain, and whatever the compiler does. Page 11 of the book.
#pragma once

#include "common/trace/place.h"

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace stage3 {

class Frame;
class TaskBase;

/// A type that a task can wait for: it says so itself, with `using AwaitedByTasks =
/// void;`. The task would not wait for anything else, so the compiler rejects it.
template <class T>
concept AwaitedByTasks = requires { typename std::remove_cvref_t<T>::AwaitedByTasks; };

/// Takes the place of a value where the type is void.
struct Nothing {};

template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, Nothing, T>;

/// What a promise holds, whatever its coroutine returns: its place in the chain of
/// coroutines that wait for each other.
class PromiseBase {
  public:
    PromiseBase(const PromiseBase&) = delete;
    PromiseBase& operator=(const PromiseBase&) = delete;

    /// A call runs nothing.
    std::suspend_always initial_suspend() noexcept { return {}; }

    /// After its last line, the coroutine stops, with the result still there, and its
    /// caller is resumed.
    auto final_suspend() noexcept { return Ended(*this); }

    void unhandled_exception() noexcept;

    /// Called before each `co_await`. Notes the line.
    template <AwaitedByTasks Awaitable>
    Awaitable&& await_transform(
        Awaitable&& awaitable,
        std::source_location line = std::source_location::current()) noexcept {
        place.line = line;
        return std::forward<Awaitable>(awaitable);
    }

    std::coroutine_handle<> frame;
    common::Place place;
    std::exception_ptr exception;  ///< thrown out of the coroutine, which ended it
    TaskBase* task = nullptr;      ///< drives it; nullptr: it has not been awaited yet
    PromiseBase* caller = nullptr; ///< awaits it; nullptr: it's the outermost one
    Frame* awaited_in = nullptr;   ///< owns it, in the frame of `caller`

  protected:
    PromiseBase() = default;
    ~PromiseBase() = default;

  private:
    class Ended {
      public:
        explicit Ended(PromiseBase& promise) noexcept : promise_(promise) {}
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> frame) const noexcept;
        void await_resume() const noexcept {}

      private:
        PromiseBase& promise_;
    };
};

/// The promise of a coroutine that the runtime drives.
template <class Promise>
concept Driven = std::derived_from<Promise, PromiseBase>;

/// Owns a coroutine's frame, identified by its promise.
class Frame {
  public:
    explicit Frame(PromiseBase* promise) noexcept : promise_(promise) {}
    Frame(Frame&& other) noexcept : promise_(other.release()) {}
    Frame& operator=(Frame&& other) noexcept {
        const Frame old(std::exchange(promise_, other.release()));
        return *this;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() {
        if (promise_ != nullptr)
            promise_->frame.destroy();
    }

    PromiseBase* promise() const noexcept { return promise_; }
    PromiseBase* release() noexcept { return std::exchange(promise_, nullptr); }

  private:
    PromiseBase* promise_;
};

/// Keeps what `co_return` hands over.
template <class T>
class ReturnedValue {
  public:
    template <std::convertible_to<T> From = T>
    void return_value(From&& value) {
        value_.emplace(std::forward<From>(value));
    }
    T take_value() {
        return *std::move(value_); // NOLINT(bugprone-unchecked-optional-access): it ended
    }

  private:
    std::optional<T> value_;
};
template <>
class ReturnedValue<void> {
  public:
    void return_void() noexcept {}
    Nothing take_value() noexcept { return {}; }
};

/// `parent` waits, and the child, whose frame `owner` owns, runs in its place.
/// Throws std::logic_error if there is no child: it was moved away, or awaited before.
void await_child(PromiseBase& parent, Frame& owner);

/// A coroutine that returns a `T`. Owns its frame until it is awaited or becomes a task.
template <class T = void>
class [[nodiscard("a coroutine runs only when it is awaited")]] Coroutine {
    static_assert(!std::is_reference_v<T>, "return a pointer instead");

  public:
    using AwaitedByTasks = void;

    class promise_type : public PromiseBase, public ReturnedValue<T> {
      public:
        Coroutine get_return_object(
            std::source_location function = std::source_location::current()) noexcept {
            place = {function, function};
            frame = std::coroutine_handle<promise_type>::from_promise(*this);
            return Coroutine(this);
        }
    };

    /// `co_await child()` returns what the child returns, and throws what it throws.
    auto operator co_await() && noexcept { return Awaiter(std::move(frame_)); }

    /// Gives the frame to a task.
    Frame take_frame() && noexcept { return std::move(frame_); }

    /// Returns what the coroutine in `frame` has returned, or throws what it has thrown.
    static ValueOf<T> take_result(const Frame& frame) {
        auto& promise = static_cast<promise_type&>(*frame.promise());
        if (promise.exception)
            std::rethrow_exception(promise.exception);
        return promise.take_value();
    }

  private:
    class Awaiter {
      public:
        explicit Awaiter(Frame&& child) noexcept : child_(std::move(child)) {}
        bool await_ready() const noexcept { return false; }
        template <Driven Promise>
        void await_suspend(std::coroutine_handle<Promise> parent) {
            await_child(parent.promise(), child_);
        }
        T await_resume() { return static_cast<T>(take_result(child_)); }

      private:
        Frame child_;
    };

    explicit Coroutine(PromiseBase* promise) noexcept : frame_(promise) {}

    Frame frame_;
};

} // namespace stage3
