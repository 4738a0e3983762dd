// A result that isn't there yet.
//
// Stage 2's Future was a sketch with faults. This one keeps the promises of asyncio's:
// callbacks run in the loop's next turn, never inside `set_result`; one added late is
// called all the same; the result has any type, or is an exception; the future can be
// cancelled; awaiting it once it is done costs nothing; and an exception that is never
// retrieved is reported. Page 10 of the book.
//
// Without memory: making a future and adding a callback throw, and then nothing has
// changed. To complete a future, with a result, an exception or by cancelling it, needs
// no memory, so its waiters always run.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

/// What a future consists of, whatever the type of its result. Handles share it.
class FutureBase : public LoopMember, public Counted {
  public:
    explicit FutureBase(EventLoop& loop) : LoopMember(loop) {}
    FutureBase(const FutureBase&) = delete;
    FutureBase& operator=(const FutureBase&) = delete;
    ~FutureBase() override;

    bool done() const { return state_ != State::pending; }
    bool cancelled() const { return state_ == State::cancelled; }
    /// It is done, and has no result: it was cancelled, or has an exception.
    bool has_failed() const { return failure_ != nullptr; }

    /// Ends it without a result. False if it is done already. (For a task, this is only a
    /// request: see task.h.)
    virtual bool cancel(std::string message);

    /// The exception, if any. Throws InvalidState if not done, Cancelled if cancelled.
    std::exception_ptr exception();
    void set_exception(std::exception_ptr exception);

    /// `function` will be called in the turn after this is done; in the next turn, if it
    /// is done already.
    template <class F>
    Handle add_done_callback(F function, std::source_location at) {
        check_open();
        return add(loop()->make_callback(std::move(function), "done_callback", at));
    }
    /// The same for a callback that is made already, and is in no queue.
    Handle add(Handle callback);
    /// Throws LoopClosed.
    void check_open() const;

    /// `one` will run in the turn after this is done, which it must not be yet.
    void add_waiter(Runnable& one) { waiters_.push(one); }

    /// The coroutines that its exception passed through on its way here, the innermost
    /// first.
    const std::vector<common::Place>& way_of_exception();

    /// This, if it is a task; otherwise nullptr.
    virtual TaskBase* as_task() { return nullptr; }

    // ---- For code that completes it. ----

    /// Throws InvalidState if it is done.
    void check_pending() const;
    void complete_with_exception(std::exception_ptr exception) noexcept;
    /// `cancelled` is a Cancelled: what is thrown to those that wait.
    void complete_cancelled(std::exception_ptr cancelled) noexcept;
    void complete_cancelled(std::string message) noexcept;

    /// Its waiters will never run.
    void drop_waiters() noexcept;
    bool is_waited_for() const { return !waiters_.empty(); }

    /// Its exception, now or later, is not reported when it dies.
    void mark_retrieved() { report_exception_ = false; }

  protected:
    enum class State : std::uint8_t { pending, finished, cancelled };

    void on_close(EventLoop& loop) noexcept override;

    void complete(State state) noexcept;
    /// Throws if there is no result: InvalidState if there is none yet, Cancelled if the
    /// future was cancelled, or its exception.
    void require_result() {
        if (state_ != State::finished || failure_) [[unlikely]]
            throw_missing_result();
    }
    /// Called at its end: reports an exception never retrieved. `task`: its name, if it
    /// is one; otherwise nullptr. `way`: as from way_of_exception.
    void report_unseen_exception(const std::string* task,
                                 const std::vector<common::Place>& way) noexcept;

  private:
    void trace_end();
    [[noreturn]] void throw_missing_result();

    State state_ = State::pending;
    bool report_exception_ = true;
    unsigned callbacks_ = 0; // among the waiters
    unsigned sweep_at_ = 16;
    RunQueue waiters_;
    std::exception_ptr failure_; // why there is no result
};

/// Adds the result.
template <class T>
class FutureState : public FutureBase {
  public:
    using FutureBase::FutureBase;

    void set_result(ValueOf<T> value) {
        check_pending();
        result_.emplace(std::move(value));
        complete(State::finished);
    }
    ValueOf<T>& result() {
        require_result();
        return *result_; // NOLINT(bugprone-unchecked-optional-access): required
    }
    /// The result, moved out if `is_last` or it can't be copied.
    ValueOf<T> take_result(bool is_last) {
        if constexpr (std::is_copy_constructible_v<ValueOf<T>>) {
            if (!is_last)
                return result();
        }
        return std::move(result());
    }

  private:
    std::optional<ValueOf<T>> result_;
};

/// The part of awaiting a future that doesn't depend on its type.
class FutureAwaiter {
  public:
    explicit FutureAwaiter(Ref<FutureBase> future) : future_(std::move(future)) {}
    FutureAwaiter(const FutureAwaiter&) = delete;
    FutureAwaiter& operator=(const FutureAwaiter&) = delete;

    /// With a result, there is nothing to wait for. (A failed future isn't ready: it's
    /// `resume` that throws its exception, and it must know the task for that.)
    bool await_ready() const noexcept {
        return future_->done() && !future_->has_failed();
    }
    template <Driven Promise>
    bool await_suspend(std::coroutine_handle<Promise> frame) {
        task_ = frame.promise().task;
        return suspend();
    }

  protected:
    ~FutureAwaiter() = default;

    /// Throws Cancelled if the task was cancelled meanwhile.
    void resume();
    FutureBase& future() const { return *future_; }
    bool is_only_one() const { return future_.is_only_one(); }

  private:
    bool suspend();

    Ref<FutureBase> future_;
    TaskBase* task_ = nullptr;
    const char* refused_ = nullptr; // why it can't wait
    bool waited_ = false;
};

/// A handle to a future. Copies are handles to the same one, which dies with the last of
/// them.
template <class T = void>
class [[nodiscard]] Future {
  public:
    using AwaitedByTasks = void;

    /// A new one. Throws std::logic_error if no loop runs in this thread.
    Future(std::source_location at = // NOLINT(google-explicit-constructor): for `{}`
           std::source_location::current())
        : Future(running_loop(), at) {}
    explicit Future(EventLoop& loop,
                    std::source_location at = std::source_location::current())
        : state_(make_ref<FutureState<T>>(loop)) {
        loop.tracer().future_new(&base(), at);
    }

    bool done() const { return state_->done(); }
    bool cancelled() const { return state_->cancelled(); }
    /// It is done, and has no result: it was cancelled, or has an exception.
    bool has_failed() const { return state_->has_failed(); }

    /// Ends it without a result: tasks that wait for it get Cancelled, with the message.
    /// False if it is done; its exception, if it has one, is then no longer reported.
    /// (For a task, this is a request.)
    bool cancel(std::string message = {}) { return state_->cancel(std::move(message)); }

    /// The result. Throws InvalidState if there is none yet, Cancelled, or the exception.
    const ValueOf<T>& result() const { return state_->result(); }
    /// The exception, if any. Throws InvalidState if not done, Cancelled if cancelled.
    std::exception_ptr exception() const { return state_->exception(); }

    /// Resolves it: its waiters run in the loop's next turn. Throws InvalidState if it is
    /// done already, or is a task.
    void set_result(ValueOf<T> value) const
        requires(!std::is_void_v<T>)
    {
        check_settable();
        state_->set_result(std::move(value));
    }
    void set_result() const
        requires std::is_void_v<T>
    {
        check_settable();
        state_->set_result({});
    }
    /// For a future that may have been cancelled meanwhile. False if it is done already.
    template <class... Value>
    bool set_result_unless_done(Value&&... value) const {
        if (done())
            return false;
        set_result(std::forward<Value>(value)...);
        return true;
    }
    void set_exception(std::exception_ptr exception) const {
        check_settable();
        state_->set_exception(std::move(exception));
    }
    template <class Exception>
    void set_exception(Exception exception) const {
        set_exception(std::make_exception_ptr(std::move(exception)));
    }
    /// The same, but the exception is not reported if it is never retrieved.
    void set_exception_quietly(std::exception_ptr exception) const {
        set_exception(std::move(exception));
        state_->mark_retrieved();
    }

    /// Ends it with what `throws` throws. Without memory to make that, it's
    /// std::bad_alloc; its waiters run in any case.
    template <class F>
    void fail_with(F throws) const {
        try {
            throws();
        } catch (...) {
            set_exception(std::current_exception());
        }
    }

    /// `function` will be called with this future, in the turn after it is done. If it
    /// never is, `function` is destroyed with the last handle to the future; or a moment
    /// later, if that handle dies while another future's functions are being destroyed.
    template <class F>
    Handle
    add_done_callback(F function,
                      std::source_location at = std::source_location::current()) const {
        state_->check_open();
        return state_->add(
            Handle(make_ref<DoneCallback<F>>(*state_, std::move(function), at)));
    }

    /// `co_await future`: the result, which stays in the future.
    auto operator co_await() const& { return Awaiter(state_); }
    /// `co_await Future(...)`: the same, but the result is moved out if there is no other
    /// handle to the future. (One that can't be copied is moved out in any case.)
    auto operator co_await() && { return TakingAwaiter(std::move(state_)); }

    /// The result, moved out if there is no other handle. Throws as `result` does.
    ValueOf<T> take() && { return state_->take_result(state_.is_only_one()); }

    FutureBase& base() const { return *state_; }
    Ref<FutureBase> ref() const { return state_; }
    Ref<FutureState<T>> state() const { return state_; }

  protected:
    explicit Future(Ref<FutureState<T>> state) : state_(std::move(state)) {}

  private:
    /// A function that is called with the future. It must not own the future that owns
    /// it; only once the future is done does it keep it alive, until it has been called.
    template <class F>
    class DoneCallback final : public Callback {
      public:
        DoneCallback(FutureState<T>& future, F function, std::source_location at)
            : Callback(*future.loop(), Times::once, "done_callback", at),
              function_(std::move(function)), future_(&future) {}
        void becomes_ready() noexcept override { done_ = Ref(future_); }

      private:
        void call() override {
            (*function_)(Future(done_)); // NOLINT(bugprone-unchecked-optional-access)
        }
        void forget() override {
            function_.reset();
            done_ = {};
        }

        std::optional<F> function_;
        FutureState<T>* future_;
        Ref<FutureState<T>> done_;
    };

    void check_settable() const {
        if (state_->as_task() != nullptr)
            throw InvalidState("a task gets its result from its coroutine");
    }

    class Awaiter : public FutureAwaiter {
      public:
        using FutureAwaiter::FutureAwaiter;
        decltype(auto) await_resume() {
            resume();
            const ValueOf<T>& result = static_cast<FutureState<T>&>(future()).result();
            if constexpr (!std::is_void_v<T>)
                return (result);
        }
    };
    class TakingAwaiter : public FutureAwaiter {
      public:
        using FutureAwaiter::FutureAwaiter;
        T await_resume() {
            resume();
            return static_cast<T>(
                static_cast<FutureState<T>&>(future()).take_result(is_only_one()));
        }
    };

    Ref<FutureState<T>> state_;
};

} // namespace stage3
