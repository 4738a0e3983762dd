// A generator that you can talk to.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace yours {

/// Yields values of one type, is sent values of another, and returns one of a third.
/// Calling a coroutine of this kind runs none of it: the call makes a frame, which
/// belongs to the Generator that it returns.
template <class Yield, class Send, class Return>
class [[nodiscard]] Generator {
  public:
    class promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    /// The awaiter of `co_yield`.
    struct Yielding {
        promise_type& promise;

        /// May it skip the stop? No, it always stops.
        bool await_ready() const noexcept { return false; }

        /// It has stopped. There is nothing to do here: control returns to the code that
        /// resumed it.
        void await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {}

        /// It resumes. What this returns becomes the value of the `co_yield`: the value
        /// that was sent.
        Send await_resume() const { return Send{}; }
    };

    /// The compiler's questions, and your answers.
    class promise_type {
      public:
        /// What the call returns: a Generator that owns this frame.
        Generator get_return_object() { return Generator(Handle()); }

        /// Does it begin at once? No. `std::suspend_always` stops, `std::suspend_never`
        /// doesn't.
        std::suspend_never initial_suspend() noexcept { return {}; }

        /// The body has ended. Does it stop once more, or is the frame destroyed at once?
        /// It stops, because the owner of the frame wants to look inside.
        std::suspend_never final_suspend() noexcept { return {}; }

        /// `co_yield value`: keeps the value, and returns the awaiter.
        Yielding yield_value(Yield value) {
            (void)value;
            return Yielding{*this};
        }

        /// `co_return value`: keeps the value.
        void return_value(Return value) { (void)value; }

        /// An exception has left the body. Keeps it: `std::current_exception()`.
        void unhandled_exception() noexcept {}

        std::optional<Yield> yielded; // on its way out
        Send sent{};                  // on its way in
        Return returned{};            // at the end, or instead:
        std::exception_ptr error;     // what has left the body
    };

    /// Runs it up to its first `co_yield`; after that, resumes it and sends `Send{}`,
    /// which becomes the value of the `co_yield` at which it is suspended. Returns the
    /// next value that it yields, or nothing if it has ended. Throws what leaves the
    /// body. Not called again after the end.
    std::optional<Yield> next() { return std::nullopt; }

    /// The same, but sends `value`.
    std::optional<Yield> send(Send value) {
        (void)value;
        return std::nullopt;
    }

    /// What it has returned. Not called before it has ended.
    const Return& returned() const { return frame_.promise().returned; }

    /// Takes over the frame; `other` then owns nothing.
    Generator(Generator&& other) noexcept : frame_(other.frame_) {}
    Generator& operator=(Generator&&) = delete;
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    /// Destroys the frame, if it owns one, wherever the coroutine is suspended.
    ~Generator() = default;

  private:
    explicit Generator(Handle frame) : frame_(frame) {}

    Handle frame_;
};

} // namespace yours
