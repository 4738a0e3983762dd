// Drives a coroutine from one future to the next.
//
// A coroutine pauses by yielding a future. The task takes it, asks it to be told, and
// when the future is resolved, sends the result back in. That's all; and it's the same
// whether the future came from the coroutine itself or from one that it awaits. Told in
// book/07 (futures and tasks).
//
// Like stage 2's Future, this is a sketch with faults that are kept and tested: the first
// step is taken inside the constructor, a step inside whoever resolves the future; what
// the coroutine throws comes out there, too; and a task has no result that one could wait
// for.
#pragma once

#include "common/trace/trace.h"
#include "stage2_coroutines/future.h"
#include "stage2_coroutines/traceback.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace stage2 {

class Task final : private Witness {
  public:
    /// Owns the coroutine, and lets it run until it waits for the first time. `tracer`
    /// must outlive the task. Throws TaskFailed if the coroutine throws.
    Task(Coroutine<> coroutine, common::Tracer& tracer)
        : coroutine_(std::move(coroutine)), tracer_(tracer) {
        if (tracer_.enabled())
            coroutine_.set_witness(*this);
        trace("new");
        step(nullptr);
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    /// Destroys the coroutine, wherever it waits. The future that it waits for may live
    /// on.
    ~Task() {
        if (!done())
            trace("destroyed");
    }

    /// True once the coroutine has ended.
    bool done() const { return coroutine_.done(); }

    /// Where the coroutine waits: see Generator::chain.
    std::vector<Place> chain() const { return coroutine_.chain(); }

  private:
    /// Lets the coroutine go on with the result of the future that it waited for; with
    /// none, at first. Throws TaskFailed if the coroutine throws.
    void step(const Future* awaited) {
        trace("step", awaited);
        Coroutine<>::Reply reply;
        try {
            reply = awaited != nullptr ? coroutine_.send(awaited->result())
                                       : coroutine_.next();
        } catch (...) {
            trace("threw");
            throw TaskFailed(coroutine_.traceback());
        }
        if (reply.yielded)
            wait_for(**reply.yielded);
        else
            trace("returned");
    }

    // [wait-for]
    void wait_for(Future& future) {
        trace("suspend", &future);
        // The future may outlive this task, so its callback must not rely on `this`.
        future.add_done_callback(
            [self = std::weak_ptr<Task*>(self_)](const Future& resolved) {
                if (const auto task = self.lock())
                    (*task)->step(&resolved);
            });
    }
    // [/wait-for]

    void trace(std::string_view phase, const Future* future = nullptr) const;
    void called(const Place& caller, const Place& callee) override;
    void ended(const Place& caller, const Place& callee) override;

    Coroutine<> coroutine_;
    common::Tracer& tracer_;
    std::shared_ptr<Task*> self_ = std::make_shared<Task*>(this); // dies with this task
};

/// Owns tasks until they are done.
class TaskList {
  public:
    /// `tracer` must outlive the list.
    explicit TaskList(common::Tracer& tracer) : tracer_(tracer) {}

    /// Starts a task. Throws TaskFailed if its first step does.
    void start(Coroutine<> coroutine) {
        // A task can't be destroyed while its last step is still on the stack, so those
        // that are done are swept out here; not each time, because that means to look at
        // all of them.
        if (tasks_.size() >= sweep_at_) {
            tasks_.remove_if([](const Task& task) { return task.done(); });
            sweep_at_ = std::max(std::size_t{64}, 2 * tasks_.size());
        }
        tasks_.emplace_back(std::move(coroutine), tracer_);
    }

  private:
    common::Tracer& tracer_;
    std::list<Task> tasks_;
    std::size_t sweep_at_ = 64;
};

} // namespace stage2
