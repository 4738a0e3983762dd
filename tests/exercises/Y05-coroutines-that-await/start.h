// Coroutines that await each other, and futures.
#pragma once

#include "event_loop.h"
#include "future.h"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace yours {

class Chain;

/// What a promise holds, whatever its coroutine returns.
struct PromiseBase {
    /// The awaiter with which a coroutine stops at its end.
    struct Ended {
        std::coroutine_handle<> continuation = std::noop_coroutine();

        /// It always stops: the frame stays until its owner destroys it.
        bool await_ready() const noexcept { return false; }

        /// It has stopped, and the coroutine that awaits it resumes: control passes to
        /// the one whose handle this returns. That is not a call of resume(), which would
        /// need stack.
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
            return std::noop_coroutine();
        }

        void await_resume() const noexcept {} // it never resumes there
    };

    /// A call runs nothing.
    std::suspend_never initial_suspend() noexcept { return {}; }

    /// The awaiter for the end: an Ended that knows what resumes.
    Ended final_suspend() noexcept { return {}; }

    /// An exception has left the body. It's kept for the coroutine that awaits this one.
    void unhandled_exception() noexcept {}

    /// What awaits it. Until something does, a coroutine that does nothing.
    std::coroutine_handle<> continuation = std::noop_coroutine();
    Chain* chain = nullptr;   // the chain it belongs to
    std::exception_ptr error; // what has left the body
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

/// A coroutine that returns a `T`. Calling it runs none of it; awaiting it does. It owns
/// its frame, as your Generator does.
template <class T = void>
class [[nodiscard]] Coroutine {
  public:
    struct promise_type : PromiseBase, Returned<T> {
        Coroutine get_return_object() {
            return Coroutine(std::coroutine_handle<promise_type>::from_promise(*this));
        }
    };
    using Handle = std::coroutine_handle<promise_type>;

    Coroutine(Coroutine&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Coroutine& operator=(Coroutine&&) = delete;
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;
    ~Coroutine() {
        if (frame_)
            frame_.destroy();
    }

    Handle frame() const { return frame_; }

    /// The awaiter of `co_await child()`.
    struct Awaiter {
        Handle child;

        /// A child has not begun, so the parent always stops.
        bool await_ready() const noexcept { return false; }

        /// The parent has stopped. The child is given its chain, which is its parent's,
        /// and the coroutine that resumes at its end. Then it begins: control passes to
        /// the coroutine whose handle this returns.
        template <class Promise>
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<Promise> parent) const {
            (void)parent;
            return std::noop_coroutine();
        }

        /// The child has ended, and the parent resumes: throws what has left the child,
        /// or returns its result.
        T await_resume() const { return child.promise().take(); }
    };

    /// Only for a Coroutine that is given away, such as what a call returns.
    Awaiter operator co_await() && noexcept { return Awaiter{frame_}; }

  private:
    explicit Coroutine(Handle frame) : frame_(frame) {}

    Handle frame_;
};

/// Coroutines that await each other, from the outermost to the one that waits for a
/// future. Must live until the outermost has ended.
class Chain : private Runnable {
  public:
    /// The outermost begins in the loop's next turn.
    Chain(EventLoop& loop, Coroutine<> outermost)
        : outermost_(std::move(outermost)), next_(outermost_.frame()) {
        outermost_.frame().promise().chain = this;
        loop.make_ready(*this);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;
    virtual ~Chain() = default;

    // For the awaiter of a future. In the next step, a task does more in each of these.

    /// `innermost` waits for `future`. It resumes when that is done and the loop gets to
    /// this chain; nothing is resumed in here. Until then, `awaited()` is that future.
    virtual void wait_for(Future& future, std::coroutine_handle<> innermost) {
        (void)future;
        (void)innermost;
    }

    /// Called when a coroutine that has waited for a future resumes: what this throws,
    /// its `co_await` throws.
    virtual void going_on() {}

  protected:
    /// The future it waits for. nullptr if it runs, has not begun, or has ended.
    Future* awaited() const { return awaited_; }

    /// The outermost has ended (nullptr) or failed. Here, the error leaves the loop's
    /// turn(), and whatever was still to run in that turn is forgotten. That is good
    /// enough for a program that ends then; a task, in Y06, keeps the error instead.
    virtual void ended(std::exception_ptr error) {
        if (error)
            std::rethrow_exception(std::move(error));
    }

    /// It's this chain's turn: `next_` resumes, until one of its coroutines waits for a
    /// future or the outermost has ended. At that end, `ended` is given what the
    /// outermost threw, or nullptr.
    void run() override {}

  private:
    Coroutine<> outermost_;
    std::coroutine_handle<> next_; // resumes when it's this chain's turn
    Future* awaited_ = nullptr;
};

/// The awaiter of `co_await future`.
struct FutureAwaiter {
    Future& future;
    Chain* chain = nullptr; // the one that has waited; nullptr if there was no need to

    /// May it skip the stop? Yes, if the future is done: then it keeps control.
    bool await_ready() const { return false; }

    /// It has stopped. Its chain waits for the future, with this frame as the one that
    /// resumes.
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        (void)frame;
    }

    /// It resumes. If it has waited, its chain is told first (`going_on`). Then, if the
    /// future has failed, this throws the error.
    void await_resume() const {}
};

inline FutureAwaiter operator co_await(Future& future) { return {future}; }

} // namespace yours
