// A generator that one can talk to.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace yours {

/// Yields values of one type, is sent values of another, and returns one of a third. A
/// coroutine of this kind is called, and that runs nothing: it makes a frame, which
/// belongs to the Generator that the call returns.
template <class Yield, class Send, class Return>
class [[nodiscard]] Generator {
  public:
    class promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    /// What `co_yield` waits with.
    struct Yielding {
        promise_type& promise;

        /// Need it not stop at all? It always stops.
        bool await_ready() const noexcept { return false; }

        /// It has stopped. Nothing to do: control goes back to whoever has resumed it.
        void await_suspend(std::coroutine_handle<> /*frame*/) const noexcept {}

        /// It goes on: what this returns is the value of the `co_yield`. That is what was
        /// sent.
        Send await_resume() const { return Send{}; }
    };

    /// The compiler's questions, and your answers.
    class promise_type {
      public:
        /// What the caller gets: a Generator that owns this frame.
        Generator get_return_object() { return Generator(Handle()); }

        /// Does it begin at once? No. `std::suspend_always` stops, `std::suspend_never`
        /// doesn't.
        std::suspend_never initial_suspend() noexcept { return {}; }

        /// The body has ended. Does it stop once more, or is the frame destroyed at once?
        /// It stops: whoever owns the frame wants to see what is in here.
        std::suspend_never final_suspend() noexcept { return {}; }

        /// `co_yield value`: keeps the value, and says what to wait with.
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
        Return returned{};            // at the end; or, instead,
        std::exception_ptr error;     // what has left the body
    };

    /// Lets it run, up to its first `co_yield`; later, lets it go on with nothing to say:
    /// then the `co_yield` where it stands has the value `Send{}`. Returns what it yields
    /// next; nothing, if it has ended. What leaves the body, this throws. Nobody calls it
    /// once more after the end.
    std::optional<Yield> next() { return std::nullopt; }

    /// The same, but the `co_yield` where it stands has the value `value`.
    std::optional<Yield> send(Send value) {
        (void)value;
        return std::nullopt;
    }

    /// What it has returned. Nobody asks before it has ended.
    const Return& returned() const { return frame_.promise().returned; }

    /// The frame belongs to the new one: `other` owns nothing any more.
    Generator(Generator&& other) noexcept : frame_(other.frame_) {}
    Generator& operator=(Generator&&) = delete;
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    /// Destroys the frame, if it owns one: wherever the coroutine stands.
    ~Generator() = default;

  private:
    explicit Generator(Handle frame) : frame_(frame) {}

    Handle frame_;
};

} // namespace yours
