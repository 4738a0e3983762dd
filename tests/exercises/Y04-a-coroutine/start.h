// A coroutine: a function that runs only once it is awaited, and that a task drives.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace yours {

class Task; // from Y05

/// What a promise holds, whatever its coroutine returns.
struct PromiseBase {
    /// The awaiter with which a coroutine stops at its end.
    struct Ended {
        PromiseBase& promise;

        /// It always stops: the frame stays until its owner destroys it.
        bool await_ready() const noexcept { return false; }

        /// Tells the task to resume the caller next. You write this in Y05, beside Task.
        void await_suspend(std::coroutine_handle<> frame) const noexcept;

        void await_resume() const noexcept {} // it never resumes there
    };

    /// A call runs nothing.
    std::suspend_never initial_suspend() noexcept { return {}; }

    /// At the end, the coroutine stops once more, with an Ended of this promise.
    std::suspend_never final_suspend() noexcept { return {}; }

    /// An exception has left the body. Keeps it for the coroutine that awaits this one.
    void unhandled_exception() noexcept {}

    std::coroutine_handle<> frame; // the one that this promise is in
    Task* task = nullptr;          // drives it
    PromiseBase* caller = nullptr; // awaits it; nullptr: it's the outermost one
    std::exception_ptr error;      // what has left the body
};

/// What `co_return` hands over. A promise may have only one of the two functions.
template <class T>
struct Returned {
    void return_value(T value) { returned = std::move(value); }
    T take() { return *std::move(returned); }
    std::optional<T> returned;
};
template <>
struct Returned<void> {
    void return_void() noexcept {}
    void take() noexcept {}
};

/// Tells the task of `parent` to resume `child` next; nothing is resumed in here. You
/// write this in Y05, beside Task.
void await_child(PromiseBase& parent, PromiseBase& child);

/// A coroutine that returns a `T`. Calling it runs none of it; awaiting it does. It owns
/// its frame, as your Generator does, but holds a pointer to the promise.
template <class T = void>
class [[nodiscard]] Coroutine {
  public:
    struct promise_type : PromiseBase, Returned<T> {
        /// What the call returns: a Coroutine that owns this frame. The promise gets to
        /// know its frame, too.
        Coroutine get_return_object() { return Coroutine(this); }
    };

    /// Takes over the frame; `other` then owns nothing.
    Coroutine(Coroutine&& other) noexcept : promise_(other.promise_) {}
    Coroutine& operator=(Coroutine&&) = delete;
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;
    /// Destroys the frame, if it owns one, wherever the coroutine is suspended.
    ~Coroutine() = default;

    PromiseBase& promise() const { return *promise_; }

    /// The awaiter that `co_await child()` uses.
    struct Awaiter {
        promise_type* child;

        /// A child has not begun, so its parent always stops.
        bool await_ready() const noexcept { return false; }

        /// The parent has stopped, and the child is to be the next.
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> parent) const {
            (void)parent;
        }

        /// The child has ended, and the parent goes on: throws what has left the child,
        /// or returns its result.
        T await_resume() const { return child->take(); }
    };

    /// Only for a Coroutine that is given away, such as what a call returns.
    Awaiter operator co_await() && noexcept { return Awaiter{promise_}; }

  private:
    explicit Coroutine(promise_type* promise) : promise_(promise) {}

    promise_type* promise_;
};

} // namespace yours
