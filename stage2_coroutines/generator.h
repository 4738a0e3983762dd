// A generator: a function that can pause, and that you can talk to while it is paused.
//
// `co_yield x` hands x out and stops the function where it is. Its parameters and local
// variables stay alive meanwhile, because they are not on the stack: the compiler keeps
// them in a *coroutine frame* on the heap. `send(y)` resumes the function from there, and
// y becomes the value of the `co_yield`. `throw_(e)` does the same with an exception.
// With `co_await inner()` a generator hands the conversation over to another one until
// that one has ended.
//
// Two things make a function such a coroutine: it contains `co_yield`, `co_await` or
// `co_return`, and its return type has a `promise_type`. The compiler then asks the
// promise at every turn what to do, and most of this file is the answers. See pages 05 to
// 09 of the book.
#pragma once

#include "stage2_coroutines/traceback.h"

#include <algorithm>
#include <cassert>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace stage2 {

template <class Yield, class Send, class Return>
class Generator;

/// The return value of a generator that returns nothing.
struct Nothing {};

template <class Return>
using ReturnedValue = std::conditional_t<std::is_void_v<Return>, Nothing, Return>;

/// The result of resuming a generator: the value it yields or, when it ends, the value it
/// returns. Neither if it had already ended.
template <class Yield, class Return>
struct Reply {
    std::optional<Yield> yielded;
    std::optional<ReturnedValue<Return>> returned;
};

namespace detail {

/// The frames that an exception has passed through on its way out.
struct Way {
    std::exception_ptr error;
    std::vector<Place> places; // the innermost first
};

/// The part of a promise that doesn't depend on what its generator returns: the values
/// that go in and out, and its place in a chain of delegating generators.
template <class Yield, class Send>
struct Conversation {
    std::coroutine_handle<> frame; // of this coroutine
    Yield* yielded = nullptr;      // on its way out; lives in the frame that yields it
    Send* sent = nullptr;          // on its way in; lives with the sender
    std::exception_ptr thrown;     // on its way in, instead
    std::exception_ptr error;      // has left the function, and so ended it

    // [chain]
    Conversation* caller = nullptr; // the one that has delegated to this one, if any
    Conversation* innermost = this; // itself, or the one that it has delegated to; in the
                                    // outermost, the one that runs when it is resumed
    // [/chain]
    std::coroutine_handle<>* owned_by = nullptr; // in the frame of `caller`
    bool started = false;
    bool running = false;
    Place place;
    std::unique_ptr<Way> way;   // of an exception through the chain (outermost only)
    Witness* witness = nullptr; // of the chain, if any (outermost only)
};

/// Keeps the value of a `co_return`. The compiler calls `return_value`, or `return_void`
/// if nothing is returned; a promise may not have both, so this comes in two versions.
template <class Return>
struct Returning {
    std::optional<Return> returned;
    void return_value(Return value) { returned.emplace(std::move(value)); }
};
template <>
struct Returning<void> {
    std::optional<Nothing> returned;
    void return_void() { returned.emplace(); }
};

/// The awaiter of a `co_yield`: what the compiler asks before it stops the function, once
/// the function has stopped, and when it resumes.
template <class Yield, class Send>
class Yielding {
  public:
    Yielding(Conversation<Yield, Send>& conversation, Yield value)
        : conversation_(conversation), value_(std::move(value)) {}

    bool await_ready() const noexcept { return false; } // always stop

    /// The function has stopped, and its value can be picked up.
    void await_suspend(std::coroutine_handle<> /*frame*/) noexcept {
        conversation_.yielded = &value_;
    }

    // [await-resume]
    /// The value of the `co_yield` expression.
    Send await_resume() {
        if (conversation_.thrown)
            std::rethrow_exception(std::exchange(conversation_.thrown, nullptr));
        assert(conversation_.sent != nullptr); // no exception, so a value was sent
        return std::move(*std::exchange(conversation_.sent, nullptr));
    }
    // [/await-resume]

  private:
    Conversation<Yield, Send>& conversation_;
    Yield value_;
};

// [delegating]
/// The awaiter of a `co_await inner()`. It owns the inner generator, and lives in the
/// outer one's frame for as long as the outer one waits.
template <class Yield, class Send, class Return>
class Delegating {
  public:
    Delegating(Generator<Yield, Send, Return>&& inner, Conversation<Yield, Send>& outer)
        : inner_(std::move(inner)), outer_(outer) {}

    bool await_ready() const noexcept { return false; }

    /// The outer one is suspended now. From here on, resuming it resumes the inner one:
    /// see Generator::resume.
    void await_suspend(std::coroutine_handle<> /*frame*/) noexcept {
        inner_.promise().caller = &outer_;
        inner_.promise().owned_by = &inner_.frame_; // for destroying the chain
        outer_.innermost = &inner_.promise();
    }

    /// The inner one has ended: its return value is the value of the `co_await`, and an
    /// exception that it threw is rethrown here.
    Return await_resume() { return inner_.take_result(); }

  private:
    Generator<Yield, Send, Return> inner_;
    Conversation<Yield, Send>& outer_;
};
// [/delegating]

} // namespace detail

/// A generator that hands out values of type `Yield`, receives values of type `Send`, and
/// ends with a value of type `Return`. It owns the coroutine's frame: when the Generator
/// is destroyed, so is the frame, with everything in it.
///
/// An exception that leaves the body ends it, and comes out of the call that resumed it.
template <class Yield, class Send = Nothing, class Return = void>
class [[nodiscard]] Generator {
  public:
    using Reply = stage2::Reply<Yield, Return>;

    /// The compiler makes one of these in each frame, and asks it what to do. Its name
    /// and the names of its functions are fixed.
    class promise_type : public detail::Conversation<Yield, Send>,
                         public detail::Returning<Return> {
      public:
        /// Makes the object that the caller gets. `function` is the coroutine itself: a
        /// default argument is filled in where the call is written, and the compiler
        /// writes this call into the coroutine.
        Generator get_return_object(
            std::source_location function = std::source_location::current()) {
            this->place = {function, function};
            this->frame = std::coroutine_handle<promise_type>::from_promise(*this);
            return Generator(std::coroutine_handle<promise_type>::from_promise(*this));
        }

        /// Stop before the first line: a call runs nothing.
        std::suspend_always initial_suspend() noexcept { return {}; }

        /// Stop after the last line, so that the frame still exists and holds the
        /// result.
        std::suspend_always final_suspend() noexcept { return {}; }

        /// Called when an exception leaves the function. Rethrown here, it would never
        /// reach an outer generator, so it is kept.
        void unhandled_exception() noexcept { this->error = std::current_exception(); }

        /// `co_yield value`.
        auto yield_value(Yield value,
                         std::source_location line = std::source_location::current()) {
            this->place.line = line;
            return detail::Yielding<Yield, Send>(*this, std::move(value));
        }

        /// `co_await inner()`. The inner generator yields and receives the same types,
        /// but may return any type. Throws std::logic_error if it has begun.
        template <class Inner>
        auto
        await_transform(Generator<Yield, Send, Inner>&& inner,
                        std::source_location line = std::source_location::current()) {
            if (inner.started() || inner.done())
                throw std::logic_error("only a generator that has not begun can be "
                                       "delegated to");
            this->place.line = line;
            return detail::Delegating<Yield, Send, Inner>(std::move(inner), *this);
        }

        /// `co_await value`, for a value that can be yielded, is another name for
        /// `co_yield value`, so that there is one word for all waiting.
        auto
        await_transform(Yield value,
                        std::source_location line = std::source_location::current()) {
            return yield_value(std::move(value), line);
        }
    };

    Generator(Generator&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Generator& operator=(Generator&& other) noexcept {
        Generator taken(std::move(other));
        std::swap(frame_, taken.frame_); // `taken` destroys the old frame
        return *this;
    }
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    ~Generator() {
        destroy_inner_frames();
        if (frame_)
            frame_.destroy();
    }

    /// Starts it, or resumes it with an empty value: its `co_yield` has the value
    /// `Send{}`. Throws std::logic_error if the generator is running.
    Reply next() { return started() ? send(Send{}) : resume(); }

    /// Resumes it: `value` becomes the value of the `co_yield` where it stopped. Throws
    /// std::logic_error if the generator has not begun, or is running.
    Reply send(Send value) {
        check_not_running(); // before done(): it must not be called while it runs
        if (done())
            return {};
        if (!started())
            throw std::logic_error(
                "the generator has not begun, so no co_yield waits for a value: call "
                "next() first");
        promise().innermost->sent = &value;
        return resume();
    }

    /// Resumes it: the `co_yield` where it stopped throws `error`. A generator that
    /// hasn't begun ends at once and `error` comes back, as it does from one that has
    /// ended. Throws std::logic_error if the generator is running.
    Reply throw_(std::exception_ptr error) {
        check_not_running();
        if (!started() || done()) {
            *this = Generator(nullptr);
            std::rethrow_exception(std::move(error));
        }
        promise().innermost->thrown = std::move(error);
        return resume();
    }

    /// True once it has ended: it returned, an exception left it, or it was moved from.
    /// Must not be called while it is running.
    bool done() const {
        assert(!running()); // the standard allows it only while it is suspended
        return !frame_ || frame_.done();
    }

    /// True once it has begun, even if it has ended since.
    bool started() const { return frame_ && promise().started; }

    /// True while it is being resumed.
    bool running() const { return frame_ && promise().running; }

    /// Where it is suspended: this generator first, then those it waits for, with the
    /// innermost last.
    std::vector<Place> chain() const {
        std::vector<Place> places;
        if (frame_)
            for (const auto* one = promise().innermost; one != nullptr; one = one->caller)
                places.push_back(one->place);
        std::ranges::reverse(places);
        return places;
    }

    /// The generators that the exception which ended this one passed through, outermost
    /// first.
    std::vector<Place> traceback() const {
        if (!frame_ || !promise().way)
            return {};
        return {promise().way->places.rbegin(), promise().way->places.rend()};
    }

    /// Reports its calls from now on to `witness`, which must outlive the generator.
    void set_witness(Witness& witness) {
        if (frame_)
            promise().witness = &witness;
    }

    /// The address of the frame, to look at but not to touch.
    const void* address() const { return frame_.address(); }

  private:
    template <class, class, class>
    friend class detail::Delegating;

    using Handle = std::coroutine_handle<promise_type>;

    explicit Generator(std::coroutine_handle<> frame) : frame_(frame) {}

    promise_type& promise() const {
        return Handle::from_address(frame_.address()).promise();
    }

    void check_not_running() const {
        if (running())
            throw std::logic_error("the generator is running: it can't be resumed from "
                                   "within itself");
    }

    Reply resume() {
        check_not_running();
        if (done())
            return {};
        promise_type& outermost = promise();
        outermost.started = true;
        outermost.running = true;
        outermost.innermost = run_chain(outermost.innermost);
        outermost.running = false;
        if (done())
            return {.yielded = std::nullopt, .returned = take_returned()};
        return {.yielded = std::move(*outermost.innermost->yielded),
                .returned = std::nullopt};
    }

    // [run-chain]
    /// Resumes the innermost one, and continues until one yields or the outermost ends;
    /// returns that one. Each returns here before the next is resumed, so the stack
    /// doesn't grow, however long the chain is.
    detail::Conversation<Yield, Send>*
    run_chain(detail::Conversation<Yield, Send>* current) {
        while (true) {
            run(*current);
            if (current->innermost != current) { // it delegates
                current = current->innermost;
            } else if (current->frame.done() && current->caller != nullptr) { // it ended
                current = current->caller;
                current->innermost = current;
            } else {
                return current;
            }
        }
    }
    // [/run-chain]

    /// Runs one generator of the chain until it stops, and notes what happened.
    void run(detail::Conversation<Yield, Send>& one) {
        one.frame.resume();
        note_way(one);
        if (promise().witness != nullptr) [[unlikely]]
            tell(one, *promise().witness); // for traces
    }

    /// Notes the path of an exception, if one has left `one`. The path ends where it is
    /// caught, even if another exception is thrown there.
    void note_way(const detail::Conversation<Yield, Send>& one) {
        auto& way = promise().way;
        if (way && way->error != one.error)
            way.reset();
        if (!one.error)
            return;
        if (!way)
            way = std::make_unique<detail::Way>(detail::Way{one.error, {}});
        way->places.push_back(one.place);
    }

    /// Destroys the frames that this one waits for, the innermost first. The other way
    /// round, each frame would destroy the next one from inside, and a long chain would
    /// overflow the stack.
    void destroy_inner_frames() noexcept {
        if (!frame_ || running()) // run_chain has thrown: `innermost` may be out of date
            return;
        detail::Conversation<Yield, Send>*& innermost = promise().innermost;
        while (innermost != &promise()) {
            auto* const one = std::exchange(innermost, innermost->caller);
            *one->owned_by = nullptr;
            one->frame.destroy();
        }
    }

    auto take_returned() {
        if (promise().error)
            std::rethrow_exception(promise().error);
        return std::exchange(promise().returned, std::nullopt);
    }

    /// Reports a call or its end.
    void tell(const detail::Conversation<Yield, Send>& one, Witness& witness) {
        if (one.innermost != &one)
            witness.called(one.place, one.innermost->place);
        else if (one.frame.done() && one.caller != nullptr)
            witness.ended(one.caller->place, one.place);
    }

    /// For the generator that delegated to this one, which has ended.
    Return take_result() {
        auto returned = take_returned();
        assert(returned); // it came to its end, and did not throw
        if constexpr (!std::is_void_v<Return>)
            return *std::move(returned);
    }

    std::coroutine_handle<> frame_;
};

} // namespace stage2
