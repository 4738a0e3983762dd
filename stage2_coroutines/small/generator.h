// The smallest generator you can talk to.
//
// Stage 2 itself uses stage2_coroutines/generator.h. Page 06 of the book (a generator you
// can talk to) builds this one, and page 18a shows what that one adds.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace small {

// [head]
/// Yields values of one type, is sent values of another, and returns one of a third.
template <class Yield, class Send, class Return>
class [[nodiscard]] Generator {
  public:
    class promise_type;
    struct Yielding;
    using Handle = std::coroutine_handle<promise_type>;
    // [/head]

    // [promise]
    class promise_type {
      public:
        Generator get_return_object() { return Generator(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        Yielding yield_value(Yield value) {
            yielded = std::move(value);
            return Yielding{*this};
        }
        void return_value(Return value) { returned = std::move(value); }
        void unhandled_exception() noexcept { error = std::current_exception(); }

        std::optional<Yield> yielded; // on its way out
        Send sent{};                  // on its way in
        Return returned{};            // what `co_return` gave
        std::exception_ptr error;     // an exception that left the body
    };
    // [/promise]

    // [awaiter]
    /// What `co_yield` waits with.
    struct Yielding {
        promise_type& promise;

        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {}
        Send await_resume() const { return std::move(promise.sent); }
    };
    // [/awaiter]

    // [talking]
    /// Runs it up to its first `co_yield`; after that, resumes it with an empty value.
    std::optional<Yield> next() { return send(Send{}); }

    /// Resumes it: `value` becomes the value of the `co_yield` where it stopped. Returns
    /// what it yields next, or nothing if it has ended.
    std::optional<Yield> send(Send value) {
        frame_.promise().sent = std::move(value);
        return resume();
    }

    /// What the body returned.
    const Return& returned() const { return frame_.promise().returned; }
    // [/talking]

    /// Where its frame is: for those who look at frames (page 05).
    const void* address() const { return frame_.address(); }

    // [ownership]
    Generator(Generator&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Generator& operator=(Generator&&) = delete;
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    ~Generator() {
        if (frame_)
            frame_.destroy();
    }

  private:
    explicit Generator(Handle frame) : frame_(frame) {}

    Handle frame_;
    // [/ownership]

    // [resume]
    std::optional<Yield> resume() {
        if (frame_.done()) // it has ended before
            return std::nullopt;
        frame_.resume(); // runs until it stops again; then this call returns
        if (frame_.promise().error)
            std::rethrow_exception(frame_.promise().error);
        return std::exchange(frame_.promise().yielded, std::nullopt);
    }
    // [/resume]
};

} // namespace small
