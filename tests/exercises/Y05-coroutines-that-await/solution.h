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
    /// The awaiter with which a coroutine stops at its end: the one that awaits it
    /// resumes.
    struct Ended {
        std::coroutine_handle<> continuation;

        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {
            return continuation;
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() noexcept { return {}; }
    Ended final_suspend() noexcept { return {continuation}; }
    void unhandled_exception() noexcept { error = std::current_exception(); }

    std::coroutine_handle<> continuation = std::noop_coroutine(); // what awaits it
    Chain* chain = nullptr;                                       // the one it belongs to
    std::exception_ptr error;                                     // what left the body
};

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

/// A coroutine that returns a `T`. Calling it runs none of it; awaiting it does. It owns
/// its frame.
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

        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<>
        await_suspend(std::coroutine_handle<Promise> parent) const {
            child.promise().chain = parent.promise().chain;
            child.promise().continuation = parent;
            return child;
        }
        T await_resume() const {
            if (child.promise().error)
                std::rethrow_exception(child.promise().error);
            return child.promise().take();
        }
    };
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

    // For the awaiter of a future.

    /// `innermost` waits for `future`, and resumes when the loop gets to it.
    virtual void wait_for(Future& future, std::coroutine_handle<> innermost) {
        next_ = innermost;
        awaited_ = &future;
        future.add_waiter(*this);
    }

    /// Called when `innermost` resumes: what this throws, its `co_await` throws.
    virtual void going_on() {}

  protected:
    /// The future it waits for. nullptr if it runs, has not begun, or has ended.
    Future* awaited() const { return awaited_; }

    /// The outermost has ended or failed. Here, the error leaves the loop's turn().
    virtual void ended(std::exception_ptr error) {
        if (error)
            std::rethrow_exception(std::move(error));
    }

    void run() override {
        awaited_ = nullptr;
        next_.resume(); // until one of them waits, or the outermost has ended
        if (outermost_.frame().done())
            ended(outermost_.frame().promise().error);
    }

  private:
    Coroutine<> outermost_;
    std::coroutine_handle<> next_; // resumes when it's this chain's turn
    Future* awaited_ = nullptr;
};

/// The awaiter of `co_await future`.
struct FutureAwaiter {
    Future& future;
    Chain* chain = nullptr; // the one that has waited

    bool await_ready() const { return future.done(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        chain = frame.promise().chain;
        chain->wait_for(future, frame);
    }
    void await_resume() const {
        if (chain != nullptr)
            chain->going_on();
        future.throw_if_failed();
    }
};

inline FutureAwaiter operator co_await(Future& future) { return {future}; }

} // namespace yours
