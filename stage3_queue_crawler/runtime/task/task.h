// A task drives a coroutine, and is the future of its result.
//
// A task runs its coroutine until the coroutine waits for a future; then the task becomes
// a waiter of that future, and returns to the loop. When the coroutine ends, the task
// gets its result or exception. Since a task is a future, another task can wait for it.
//
// Cancelling a task only asks it to end: Cancelled is thrown at the place where it waits.
// The coroutine can clean up, in destructors or by catching, and may even refuse. Page 11
// of the book.
//
// The loop keeps a task until it is done, whether or not there is a handle to it.
//
// Without memory: making a task throws, and then its coroutine is destroyed. A task that
// exists takes its steps, can be cancelled, and ends, and none of that needs memory apart
// from what its coroutine itself asks for.
#pragma once

#include "stage3_queue_crawler/runtime/task/future.h"

#include <string>
#include <utility>
#include <vector>

namespace stage3 {

/// What a task consists of, whatever the type of its result.
class TaskBase : public Runnable {
  public:
    TaskBase(const TaskBase&) = delete;
    TaskBase& operator=(const TaskBase&) = delete;

    /// The task as a future.
    virtual FutureBase& future() noexcept = 0;

    /// Asks the coroutine to end. False if it is done, or its loop is closed.
    bool request_cancel(std::string message) noexcept;
    /// The same for a task that is not done, when all tasks of the loop are asked: the
    /// one that it waits for is asked anyway. (Otherwise the last task of a long chain
    /// would be asked by way of each of the others.)
    void request_cancel_with_all() noexcept;

    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }
    /// How often it was asked to end, minus the requests that were taken back.
    int cancelling() const { return cancelling_; }
    /// Takes one such request back; with the last one, also a Cancelled yet to be thrown.
    int uncancel();

    /// True if this is `other`, or waits for it, or for one that waits for it, and so on.
    bool waits_for(const TaskBase& other) const;

    /// Where it is: its coroutines, the outermost first.
    std::vector<common::Place> chain() const;
    /// True if it has taken a step.
    bool has_begun() const { return started_; }
    /// The future that it waits for, or waited for until that was done; nullptr: it is
    /// running, or waits only for its turn.
    FutureBase* awaited() const { return waits_for_; }
    /// The coroutines that its exception has left, the outermost first.
    std::vector<common::Place> traceback() const { return {way_.rbegin(), way_.rend()}; }

    // ---- For awaiters: what a coroutine of this task waits for. ----

    /// Until `future` is done. The future must stay alive until then.
    void wait_for(FutureBase& future);
    /// Until the next turn.
    void wait_for_next_turn();
    /// To be called at the end of a wait.
    void throw_if_cancelled();
    void forget_cancellation() { must_cancel_ = false; }
    /// For a coroutine that has caught Cancelled, but must do something else first.
    void cancel_at_next_wait(Cancelled cancelled);

    // ---- For promises. ----

    /// `promise` is resumed next; nullptr: the outermost one has ended.
    void go_on_with(PromiseBase* promise) noexcept {
        if (is_traced()) [[unlikely]]
            trace_way_to(promise);
        innermost_ = promise;
    }
    void exception_leaves(const PromiseBase& promise) noexcept;
    /// An exception is thrown into this task; `way` is its path so far.
    void exception_comes(std::exception_ptr exception,
                         const std::vector<common::Place>& way) noexcept;
    /// The coroutines that its exception has left, the innermost first.
    const std::vector<common::Place>& way() const { return way_; }

    // ---- For the loop. ----

    /// Takes a step.
    void run() noexcept override;
    void drop() noexcept override {}
    void trace_ready(common::Tracer& tracer) const override;

  protected:
    TaskBase(EventLoop& loop, Frame coroutine, std::string name);
    ~TaskBase() = default;

    void start(Ref<FutureBase> self);
    void abandon(EventLoop& loop) noexcept;
    const Frame& coroutine() const { return coroutine_; }
    virtual void complete_with_result() = 0;

  private:
    /// The task that it waits for, unless that is done; nullptr: there is none.
    TaskBase* awaited_task() const;
    void cancel_wait(std::string message) noexcept;
    void finish() noexcept;
    void destroy_coroutine() noexcept;

    bool is_traced() const { return loop_.tracer().enabled(); }
    /// For the phase "suspend", `awaited` is what it waits for; nullptr: the next turn.
    void trace(const char* phase, const FutureBase* awaited = nullptr) {
        if (is_traced()) [[unlikely]]
            write_trace(phase, awaited);
    }
    void write_trace(std::string_view phase, const FutureBase* awaited);
    void trace_way_to(const PromiseBase* next) noexcept;

    EventLoop& loop_;                 // it takes steps only while this is open
    Frame coroutine_;                 // the outermost one
    PromiseBase* innermost_;          // resumed next
    FutureBase* waits_for_ = nullptr; // owned by the awaiter in the innermost frame
    bool suspended_ = false;
    bool started_ = false;
    bool must_cancel_ = false; // Cancelled is to be thrown at the next opportunity
    int cancelling_ = 0;
    std::string cancel_message_;
    std::exception_ptr travelling_;  // the exception whose path is `way_`
    std::vector<common::Place> way_; // the innermost first
    std::string name_;
    Ref<FutureBase> keep_; // this task, until it is done
};

/// Adds the result.
template <class T>
class TaskState final : public FutureState<T>, public TaskBase {
  public:
    TaskState(EventLoop& loop, Coroutine<T>&& coroutine, std::string name)
        : FutureState<T>(loop),
          TaskBase(loop, std::move(coroutine).take_frame(), std::move(name)) {}

    TaskState(const TaskState&) = delete;
    TaskState& operator=(const TaskState&) = delete;
    ~TaskState() override {
        if (this->has_failed())
            this->report_unseen_exception(&name(), way());
    }

    /// Begins in the next turn.
    void start() { TaskBase::start(Ref<FutureBase>(this)); }

    FutureBase& future() noexcept override { return *this; }
    TaskBase* as_task() override { return this; }
    bool cancel(std::string message) override {
        return request_cancel(std::move(message));
    }

  private:
    void complete_with_result() override {
        this->set_result(Coroutine<T>::take_result(coroutine()));
    }
    void on_close(EventLoop& loop) noexcept override {
        FutureBase::on_close(loop);
        abandon(loop); // may destroy this object
    }
};

/// A handle to a task.
template <class T = void>
class [[nodiscard]] Task : public Future<T> {
  public:
    explicit Task(Ref<TaskState<T>> state) : Future<T>(std::move(state)) {}

    void set_result(auto&&...) const = delete;
    void set_exception(auto&&...) const = delete;

    const std::string& name() const { return task().name(); }
    void set_name(std::string name) const { task().set_name(std::move(name)); }
    /// Where it waits: its coroutines, the outermost first.
    std::vector<common::Place> chain() const { return task().chain(); }
    /// The coroutines that its exception has left, the outermost first.
    std::vector<common::Place> traceback() const { return task().traceback(); }
    /// How often it was asked to end, minus the requests that were taken back.
    int cancelling() const { return task().cancelling(); }
    /// Takes one such request back. Returns how many are left.
    int uncancel() const { return task().uncancel(); }

  private:
    TaskBase& task() const { return *this->base().as_task(); }
};

/// Makes a task, which takes its first step in the next turn. Throws LoopClosed.
template <class T>
Task<T> create_task(EventLoop& loop, Coroutine<T> coroutine, std::string name = {}) {
    auto state = make_ref<TaskState<T>>(loop, std::move(coroutine), std::move(name));
    state->start();
    return Task<T>(std::move(state));
}
/// The same, in the loop that runs in this thread.
template <class T>
Task<T> create_task(Coroutine<T> coroutine, std::string name = {}) {
    return create_task(running_loop(), std::move(coroutine), std::move(name));
}

/// Makes a future of anything that can be waited for: a coroutine becomes a task.
template <class T>
Future<T> ensure_future(Coroutine<T> coroutine) {
    return create_task(std::move(coroutine));
}
template <class T>
Future<T> ensure_future(Future<T> future) {
    return future;
}

/// The task that is taking a step now; nullptr: none.
TaskBase* current_task() noexcept;

/// All tasks of the loop that are not done, the oldest first.
std::vector<Ref<FutureBase>> all_tasks(EventLoop& loop);

} // namespace stage3
