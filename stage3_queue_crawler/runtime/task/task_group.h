// A scope for tasks: none of them outlives it.
//
// A task made with `create_task` belongs to the loop, and may outlive its creator. One
// made by a group ends before the group's `run` does, however that ends. So it may use
// what lives around that `run`, and what it throws is thrown there. (asyncio has the same
// class; trio calls it a nursery; the idea is known as structured concurrency.) Page 18b
// of the book.
//
// Without memory: making a child throws, and then there is no such child. The group still
// waits for all others, and throws what the first failure was.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <cstddef>
#include <exception>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

class TaskGroup {
  public:
    TaskGroup() = default;
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    ~TaskGroup();

    /// Runs `body` in the task that awaits this, and ends when `body` and all children
    /// have ended. To be called once. `group.run(body(group))` lets `body` make children.
    /// They may outlive it, and so must not use its variables.
    ///
    /// If one of them fails, all others are asked to end, including `body`. `run` throws
    /// what the first one threw; what others throw after that is reported, unless it's
    /// the very same exception. A child that was cancelled has not failed. If `run` is
    /// cancelled, it asks all to end, waits until they have, and throws Cancelled. If
    /// both happen, it throws the failure, and the next wait throws Cancelled.
    Coroutine<> run(Coroutine<> body);
    /// The same for a body that returns something.
    template <class T>
    Coroutine<T> run(Coroutine<T> body) {
        std::optional<T> result;
        co_await run(keep_result(std::move(body), result));
        co_return *std::move(result); // NOLINT(bugprone-unchecked-optional-access)
    }

    /// Makes a child: a task, which takes its first step in the next turn. If the group
    /// has been asked to end, so is the child. Throws std::logic_error unless `run` is
    /// running.
    template <class T>
    void start(Coroutine<T> coroutine, std::string name = {}) {
        const auto child = create_task(std::move(coroutine), std::move(name));
    }
    /// The same, if its result is needed.
    template <class T>
    Task<T> create_task(Coroutine<T> coroutine, std::string name = {}) {
        check_runs();
        Task<T> child =
            stage3::create_task(loop(), std::move(coroutine), std::move(name));
        adopt(child.ref());
        return child;
    }

    /// Asks all children to end, including those still to come; `body` may continue,
    /// unless one of them fails.
    void cancel();

    /// How many children have not ended.
    std::size_t size() const { return children_.size(); }

  private:
    struct Child {
        Ref<FutureBase> task;
        Handle callback;
    };
    using Position = std::list<Child>::iterator;

    template <class T>
    static Coroutine<> keep_result(Coroutine<T> body, std::optional<T>& result) {
        result.emplace(co_await std::move(body));
    }
    EventLoop& loop() const { return *parent_->future().loop(); }
    void check_runs() const;
    void abort();
    void adopt(Ref<FutureBase> child);
    void child_has_ended(Position position);
    bool has_failed() const { return body_failure_ || !failed_.empty(); }
    bool is_noted(const std::exception_ptr& exception) const;
    void note_failure_of_body(std::exception_ptr exception) noexcept;
    std::optional<Future<>> make_future_of_last() noexcept;
    void throw_failure(const std::optional<Cancelled>& request);

    TaskBase* parent_ = nullptr; // runs `run`
    std::list<Child> children_;
    std::optional<Future<>> last_has_ended_; // `run` waits for it
    std::list<Child> failed_;                // in the order in which they have failed
    std::exception_ptr body_failure_;        // none: it has not failed
    std::vector<common::Place> body_way_;    // of that; the innermost coroutine first
    bool body_failed_first_ = false;         // before any child
    bool is_ending_ = false;                 // all children were asked to end
    bool is_aborting_ = false;  // the body has failed, or `run` was asked to end
    bool asked_parent_ = false; // to end, by us
    bool has_ended_ = false;
};

} // namespace stage3
