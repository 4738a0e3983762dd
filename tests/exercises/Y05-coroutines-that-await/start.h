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
    /// What a coroutine waits with at its end.
    struct Ended {
        std::coroutine_handle<> continuation = std::noop_coroutine();

        /// It always stops: the frame stays until its owner destroys it.
        bool await_ready() const noexcept { return false; }

        /// It has stopped. Whoever awaits it goes on: control goes to the coroutine whose
        /// handle this returns. (Not by a call of resume(), which would need stack.)
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
            return std::noop_coroutine();
        }

        void await_resume() const noexcept {} // it never goes on from there
    };

    /// A call runs nothing.
    std::suspend_never initial_suspend() noexcept { return {}; }

    /// What to wait with at the end: with an Ended, that knows who goes on.
    Ended final_suspend() noexcept { return {}; }

    /// An exception has left the body. It's kept, for whoever awaits.
    void unhandled_exception() noexcept {}

    /// Who awaits it. As long as nobody does, a coroutine that does nothing.
    std::coroutine_handle<> continuation = std::noop_coroutine();
    Chain* chain = nullptr;   // it belongs to
    std::exception_ptr error; // has left it
};

/// What `co_return` hands over. (A promise may have only one of the two functions.)
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

/// A coroutine that returns a `T`: a call runs none of it, `co_await` does. Owns its
/// frame, as your Generator does.
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

    /// What `co_await child()` waits with.
    struct Awaiter {
        Handle child;

        /// A child has not begun, so the parent always stops.
        bool await_ready() const noexcept { return false; }

        /// The parent has stopped. The child is told to whose chain it belongs (to its
        /// parent's), and who goes on at its end; and it begins: control goes to the
        /// coroutine whose handle this returns.
        template <class Promise>
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<Promise> parent) const {
            (void)parent;
            return std::noop_coroutine();
        }

        /// The child has ended, and the parent goes on: throws what has left the child,
        /// or hands over what it has returned.
        T await_resume() const { return child.promise().take(); }
    };

    /// Of a Coroutine that is given away, as what a call returns is.
    Awaiter operator co_await() && noexcept { return Awaiter{frame_}; }

  private:
    explicit Coroutine(Handle frame) : frame_(frame) {}

    Handle frame_;
};

/// Coroutines that await each other, from the outermost to the one that waits for a
/// future. It must live until the outermost has ended.
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

    // For the awaiter of a future. (A task, in the next step, does more in each of
    // these.)

    /// `innermost` waits for `future`, and goes on when that is done and the loop comes
    /// to this chain. Resumes nobody itself. Until then, `awaited()` is that future.
    virtual void wait_for(Future& future, std::coroutine_handle<> innermost) {
        (void)future;
        (void)innermost;
    }

    /// Called when a coroutine that has waited for a future goes on: what this throws,
    /// its `co_await` throws.
    virtual void going_on() {}

  protected:
    /// The future it waits for. nullptr: it runs, or has not begun, or has ended.
    Future* awaited() const { return awaited_; }

    /// The outermost has ended (nullptr), or has failed. Here, that leaves the loop's
    /// turn(), and whoever was to run behind it in that turn is forgotten. (It's for
    /// programs that end then. A task, Y06, keeps it.)
    virtual void ended(std::exception_ptr error) {
        if (error)
            std::rethrow_exception(std::move(error));
    }

    /// It's this chain's turn: `next_` goes on, until one of its coroutines waits for a
    /// future, or until the outermost has ended. Then `ended` is told with what.
    void run() override {}

  private:
    Coroutine<> outermost_;
    std::coroutine_handle<> next_; // goes on when it's this chain's turn
    Future* awaited_ = nullptr;
};

/// What `co_await future` waits with.
struct FutureAwaiter {
    Future& future;
    Chain* chain = nullptr; // which has waited; nullptr: there was no need to

    /// Need it not stop at all? Not if the future is done: then it keeps control.
    bool await_ready() const { return false; }

    /// It has stopped. Its chain waits for the future, with this frame as the one that
    /// goes on.
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        (void)frame;
    }

    /// It goes on. If it has waited, its chain hears of that first (`going_on`). Then, if
    /// the future has failed, throws that.
    void await_resume() const {}
};

inline FutureAwaiter operator co_await(Future& future) { return {future}; }

} // namespace yours
