// A generator: a function that can pause, and that you can talk to while it does.
//
// `co_yield x` hands x out and stops the function where it is. Its parameters and local
// variables stay alive meanwhile, because they are not on the stack: the compiler keeps
// them in a *coroutine frame* on the heap. `send(y)` lets the function go on from there,
// and y becomes the value of the `co_yield`. `throw_(e)` does the same with an exception.
// And with `co_await inner()` a generator hands the conversation over to another one,
// until that one has ended.
//
// A function becomes such a coroutine by two things: it contains `co_yield`, `co_await`
// or `co_return`, and its return type has a `promise_type`. The compiler then asks the
// promise type at every turn what shall happen; that's what most of this file answers.
// Told in book/05 to 09.
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

/// What comes out when a generator is resumed: what it yields; or, when it ends, what it
/// returns. Neither of them if it had ended before.
template <class Yield, class Return>
struct Reply {
    std::optional<Yield> yielded;
    std::optional<ReturnedValue<Return>> returned;
};

namespace detail {

/// The frames that an exception has left on its way outwards.
struct Way {
    std::exception_ptr error;
    std::vector<Place> places; // the innermost first
};

/// What a promise holds whatever its generator returns: the words that go in and out, and
/// its place in a chain of generators that have delegated to each other.
template <class Yield, class Send>
struct Conversation {
    std::coroutine_handle<> frame; // of this coroutine
    Yield* yielded = nullptr;      // on its way out; it lies in the frame that yields it
    Send* sent = nullptr;          // on its way in; it lies with whoever sends it
    std::exception_ptr thrown;     // on its way in, instead
    std::exception_ptr error;      // has left the function, which ends it

    // [chain]
    Conversation* caller = nullptr; // who has delegated to this one; nullptr: nobody
    Conversation* innermost = this; // who goes on when this one is resumed: itself, or
                                    // the last one of those that it has delegated to
    // [/chain]
    bool started = false;
    bool running = false;
    Place place;
    std::unique_ptr<Way> way;   // of an exception through the outermost one's chain
    Witness* witness = nullptr; // of the outermost one's chain; nullptr: nobody
};

/// Keeps what `co_return` hands over. The compiler calls `return_value`, or `return_void`
/// where nothing is returned; a promise may not have both, so there are two of these.
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

/// The awaiter behind `co_yield`: what the compiler asks before it stops the function,
/// when it has stopped it, and when the function goes on.
template <class Yield, class Send>
class Yielding {
  public:
    Yielding(Conversation<Yield, Send>& conversation, Yield value)
        : conversation_(conversation), value_(std::move(value)) {}

    bool await_ready() const noexcept { return false; } // stop, in any case

    /// The function has stopped. Its value can be picked up.
    void await_suspend(std::coroutine_handle<> /*frame*/) noexcept {
        conversation_.yielded = &value_;
    }

    // [await-resume]
    /// The value of the `co_yield` expression.
    Send await_resume() {
        if (conversation_.thrown)
            std::rethrow_exception(std::exchange(conversation_.thrown, nullptr));
        assert(conversation_.sent != nullptr); // whoever resumes it has seen to that
        return std::move(*std::exchange(conversation_.sent, nullptr));
    }
    // [/await-resume]

  private:
    Conversation<Yield, Send>& conversation_;
    Yield value_;
};

// [delegating]
/// The awaiter behind `co_await inner()`. It owns the inner generator, and lives in the
/// frame of the outer one as long as that waits.
template <class Yield, class Send, class Return>
class Delegating {
  public:
    Delegating(Generator<Yield, Send, Return>&& inner, Conversation<Yield, Send>& outer)
        : inner_(std::move(inner)), outer_(outer) {}

    bool await_ready() const noexcept { return false; }

    /// The outer one stands still now. From here on, whoever resumes it resumes the inner
    /// one: see Generator::resume.
    void await_suspend(std::coroutine_handle<> /*frame*/) noexcept {
        inner_.promise().caller = &outer_;
        outer_.innermost = &inner_.promise();
    }

    /// The inner one has ended: its return value is the value of the `co_await`, and what
    /// it has thrown is thrown on from here.
    Return await_resume() { return inner_.take_result(); }

  private:
    Generator<Yield, Send, Return> inner_;
    Conversation<Yield, Send>& outer_;
};
// [/delegating]

} // namespace detail

/// A generator that hands out values of type `Yield`, is sent values of type `Send`, and
/// ends with a value of type `Return`. Owns the coroutine's frame: where the Generator is
/// destroyed, so is the frame, with all that is in it.
///
/// What a generator lets out ends it, and comes out of the call that resumed it.
template <class Yield, class Send = Nothing, class Return = void>
class [[nodiscard]] Generator {
  public:
    using Reply = stage2::Reply<Yield, Return>;

    /// The compiler makes one of these in each frame, and asks it what to do. Its name is
    /// fixed, and so are the names of its functions.
    class promise_type : public detail::Conversation<Yield, Send>,
                         public detail::Returning<Return> {
      public:
        // [function]
        /// Makes what the caller of the function gets. `function` is the function itself:
        /// a default argument is filled in where the call is written, and the compiler
        /// writes this one into the coroutine.
        Generator get_return_object(
            std::source_location function = std::source_location::current()) {
            this->place = {function, function};
            this->frame = std::coroutine_handle<promise_type>::from_promise(*this);
            return Generator(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        // [/function]

        /// Stop before the first line: a call runs nothing.
        std::suspend_always initial_suspend() noexcept { return {}; }

        /// Stop behind the last line, so that the frame is still there, and the result in
        /// it.
        std::suspend_always final_suspend() noexcept { return {}; }

        /// Called for what leaves the function. Thrown on from here it would be lost to
        /// an outer generator, so it is kept.
        void unhandled_exception() noexcept { this->error = std::current_exception(); }

        // [line]
        /// `co_yield value`.
        auto yield_value(Yield value,
                         std::source_location line = std::source_location::current()) {
            this->place.line = line;
            return detail::Yielding<Yield, Send>(*this, std::move(value));
        }
        // [/line]

        /// `co_await inner()`. The inner generator hands out and is sent the same types,
        /// and may return any other. Throws std::logic_error if it has begun.
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

        /// `co_await value`, for what can be yielded, is `co_yield value` by another
        /// name: so that there is one word for all waiting.
        auto
        await_transform(Yield value,
                        std::source_location line = std::source_location::current()) {
            return yield_value(std::move(value), line);
        }
    };

    // [ownership]
    Generator(Generator&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Generator& operator=(Generator&& other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    ~Generator() {
        if (frame_)
            frame_.destroy();
    }
    // [/ownership]

    /// Goes on, or begins, with nothing to say: a `co_yield` has the value `Send{}`.
    /// Throws std::logic_error if the generator is running.
    Reply next() { return started() ? send(Send{}) : resume(); }

    /// Goes on: the `co_yield` where it stands has the value `value`. Throws
    /// std::logic_error if the generator has not begun, or is running.
    Reply send(Send value) {
        if (done())
            return {};
        check_not_running();
        if (!started())
            throw std::logic_error(
                "the generator has not begun, so no co_yield waits for a value: call "
                "next() first");
        promise().innermost->sent = &value;
        return resume();
    }

    /// Goes on: the `co_yield` where it stands throws `error`. A generator that has not
    /// begun ends at once, and `error` comes back; so it does from one that has ended.
    /// Throws std::logic_error if the generator is running.
    Reply throw_(std::exception_ptr error) {
        if (!done())
            check_not_running();
        if (!started() || done()) {
            *this = Generator(nullptr);
            std::rethrow_exception(std::move(error));
        }
        promise().innermost->thrown = std::move(error);
        return resume();
    }

    /// True once it has ended: it returned, or an exception left it, or it was moved
    /// away.
    bool done() const { return !frame_ || frame_.done(); }

    /// True once it has begun, also when it has ended since.
    bool started() const { return frame_ && promise().started; }

    /// True while it is being resumed.
    bool running() const { return frame_ && promise().running; }

    /// Where it stands: this generator first, and then those that it waits for, the
    /// innermost last.
    std::vector<Place> chain() const {
        std::vector<Place> places;
        if (frame_)
            for (const auto* one = promise().innermost; one != nullptr; one = one->caller)
                places.push_back(one->place);
        std::ranges::reverse(places);
        return places;
    }

    /// The generators that the exception which ended this one has left, the outermost
    /// first.
    std::vector<Place> traceback() const {
        if (!frame_ || !promise().way)
            return {};
        return {promise().way->places.rbegin(), promise().way->places.rend()};
    }

    /// From now on, `witness`, which must outlive the generator, hears of its calls.
    void set_witness(Witness& witness) {
        if (frame_)
            promise().witness = &witness;
    }

    /// The address of the frame. To look at, not to touch.
    const void* address() const { return frame_.address(); }

  private:
    template <class, class, class>
    friend class detail::Delegating;

    using Handle = std::coroutine_handle<promise_type>;

    explicit Generator(Handle frame) : frame_(frame) {}

    promise_type& promise() const { return frame_.promise(); }

    void check_not_running() const {
        if (running())
            throw std::logic_error("the generator is running: it can't be resumed from "
                                   "within itself");
    }

    Reply resume() {
        if (done())
            return {};
        check_not_running();
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
    /// Lets the innermost one go on, until one yields or the outermost one ends; returns
    /// that one. Each comes back here before the next one goes on, so the stack doesn't
    /// grow, however long the chain is.
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

    // [run]
    /// Lets one of the chain run until it stops, and notes what has happened.
    void run(detail::Conversation<Yield, Send>& one) {
        one.frame.resume();
        note_way(one);
        if (promise().witness != nullptr) [[unlikely]]
            tell(one, *promise().witness); // for traces
    }

    /// Notes the way of an exception, if one has left `one`. It ends where the exception
    /// is caught, also if another one is thrown there.
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
    // [/run]

    auto take_returned() {
        if (promise().error)
            std::rethrow_exception(promise().error);
        return std::exchange(promise().returned, std::nullopt);
    }

    /// Tells of a call, or of its end.
    void tell(const detail::Conversation<Yield, Send>& one, Witness& witness) {
        if (one.innermost != &one)
            witness.called(one.place, one.innermost->place);
        else if (one.frame.done() && one.caller != nullptr)
            witness.ended(one.caller->place, one.place);
    }

    /// For whoever has delegated to this one, which has ended.
    Return take_result() {
        auto returned = take_returned();
        assert(returned); // it came to its end, and did not throw
        if constexpr (!std::is_void_v<Return>)
            return *std::move(returned);
    }

    Handle frame_;
};

} // namespace stage2
