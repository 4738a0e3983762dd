// The smallest coroutine of stage 3: a function that runs only once it is awaited, and
// that a task drives.
//
// The real one is runtime/task/coroutine.h. Page 11 of the book.
//
// Destroying one that waits destroys the one that it awaits from inside, and so on, so a
// chain of hundreds of thousands would overflow the stack. The real task destroys the
// innermost first.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace stage3::small {

class Task;

// [promise]
/// What a promise holds, whatever its coroutine returns.
struct PromiseBase {
    struct Ended {
        PromiseBase& promise;

        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> frame) const noexcept;
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() noexcept { return {}; } // a call runs nothing
    Ended final_suspend() noexcept { return {*this}; }            // its caller is resumed
    void unhandled_exception() noexcept { error = std::current_exception(); }

    std::coroutine_handle<> frame;
    Task* task = nullptr;          // drives it
    PromiseBase* caller = nullptr; // awaits it; nullptr: it's the outermost one
    std::exception_ptr error;      // thrown out of it
};
// [/promise]

// NOLINTBEGIN(bugprone-unchecked-optional-access): it has ended
// [returned]
/// What `co_return` hands over.
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
// [/returned]
// NOLINTEND(bugprone-unchecked-optional-access)

/// `child` runs in place of `parent` until it has ended.
void await_child(PromiseBase& parent, PromiseBase& child);

/// A coroutine that returns a `T`. Owns its frame.
template <class T = void>
class [[nodiscard]] Coroutine {
  public:
    // [promise-type]
    struct promise_type : PromiseBase, Returned<T> {
        Coroutine get_return_object() {
            frame = std::coroutine_handle<promise_type>::from_promise(*this);
            return Coroutine(this);
        }
    };
    // [/promise-type]

    Coroutine(Coroutine&& other) noexcept
        : promise_(std::exchange(other.promise_, nullptr)) {}
    Coroutine& operator=(Coroutine&&) = delete;
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;
    ~Coroutine() {
        if (promise_ != nullptr)
            promise_->frame.destroy();
    }

    PromiseBase& promise() const { return *promise_; }

    // [awaiter]
    /// The awaiter that `co_await child()` uses.
    struct Awaiter {
        promise_type* child;

        bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> parent) const {
            await_child(parent.promise(), *child);
        }
        T await_resume() const {
            if (child->error)
                std::rethrow_exception(child->error);
            return child->take();
        }
    };
    Awaiter operator co_await() && noexcept { return Awaiter{promise_}; }
    // [/awaiter]

  private:
    explicit Coroutine(promise_type* promise) : promise_(promise) {}

    promise_type* promise_;
};

} // namespace stage3::small
