// A coroutine that can be awaited, the way most C++ libraries do it: each one knows which
// coroutine waits for it, and jumps there when it ends.
//
// Those of stages 2 and 3 know it too, but are resumed from one loop (pages 11 and 18a).
// What notes the path of an exception is for page 09. Pages 08 and 09 of the book.
//
// Destroying one that waits destroys the one that it awaits from inside, and so on, so a
// chain of hundreds of thousands would overflow the stack. Stages 2 and 3 destroy the
// innermost first.
#pragma once

#include "stage2_coroutines/small/future.h"
#include "stage2_coroutines/small/path.h"

#include <coroutine>
#include <exception>
#include <string>
#include <utility>

namespace small {

template <class Return>
class [[nodiscard]] Coroutine {
  public:
    class promise_type;
    struct Ended;
    using Handle = std::coroutine_handle<promise_type>;

    // [promise]
    class promise_type {
      public:
        Coroutine get_return_object() { return Coroutine(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        Ended final_suspend() noexcept { return {}; }
        void return_value(Return value) { returned = std::move(value); }
        void unhandled_exception() {
            error = std::current_exception();
            path.note(error, place);
        }

        // The compiler writes calls of the next two into the coroutine, at these places.
        explicit promise_type(Place start = Place::current()) : place(start) {}

        /// Each `co_await` asks here first. Returns what it awaits, untouched.
        template <class Awaited>
        Awaited&& await_transform(Awaited&& awaited, Place line = Place::current()) {
            place = line;
            return std::forward<Awaited>(awaited);
        }

        std::coroutine_handle<> continuation = std::noop_coroutine(); // waits for this
        Return returned{};
        std::exception_ptr error;
        Place place; // the co_await that it reached last
    };
    // [/promise]

    // [awaiter]
    /// What `co_await inner()` waits with: it tells `inner` who waits, and starts it.
    struct Awaiter {
        Handle inner;

        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<> outer) const {
            inner.promise().continuation = outer;
            return inner;
        }
        Return await_resume() const {
            if (inner.promise().error)
                std::rethrow_exception(inner.promise().error);
            return std::move(inner.promise().returned);
        }
    };
    Awaiter operator co_await() && noexcept { return Awaiter{frame_}; }
    // [/awaiter]

    // [ended]
    /// What a coroutine waits with at its end: it resumes the one that waits for it.
    struct Ended {
        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle frame) const noexcept {
            return frame.promise().continuation;
        }
        void await_resume() const noexcept {}
    };
    // [/ended]

    /// For the outermost one, which no other awaits: runs it until it waits. It must not
    /// throw, since its error would be lost, nor be destroyed before it has ended.
    void start() { frame_.resume(); }

    Coroutine(Coroutine&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Coroutine& operator=(Coroutine&&) = delete;
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;
    ~Coroutine() {
        if (frame_)
            frame_.destroy();
    }

  private:
    explicit Coroutine(Handle frame) : frame_(frame) {}

    Handle frame_;
};

// [future-awaiter]
/// What `co_await future` waits with.
class FutureAwaiter {
  public:
    explicit FutureAwaiter(FuturePtr future) : future_(std::move(future)) {}

    bool await_ready() const { return future_->done(); }
    void await_suspend(std::coroutine_handle<> frame) const {
        future_->add_done_callback([frame](const Future&) { frame.resume(); });
    }
    std::string await_resume() const { return future_->result(); }

  private:
    FuturePtr future_;
};

inline FutureAwaiter operator co_await(FuturePtr future) {
    return FutureAwaiter(std::move(future));
}
// [/future-awaiter]

} // namespace small
