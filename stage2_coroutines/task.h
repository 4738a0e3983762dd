// Drives a coroutine from one future to the next.
//
// A coroutine pauses by yielding a future. The task takes it, adds a callback to it, and
// sends the result back in when the future is resolved. It makes no difference whether
// the future came from the coroutine itself or from one that it awaits. Page 07 of the
// book.
//
// Like stage 2's Future, this is a sketch with faults that are kept and tested. A task
// takes its first step inside its constructor, and the others inside set_result, where
// what the coroutine throws comes out, too; and it has no result for another coroutine to
// wait for.
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
    /// Owns the coroutine, and runs it until it waits for the first time. `tracer` must
    /// outlive the task. Throws TaskFailed if the coroutine throws.
    Task(Coroutine<> coroutine, common::Tracer& tracer)
        : coroutine_(std::move(coroutine)), tracer_(tracer) {
        if (tracer_.enabled())
            coroutine_.set_witness(*this);
        trace("new");
        step(nullptr);
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    /// Destroys the coroutine, wherever it waits. The future that it waits for may
    /// outlive it.
    ~Task() {
        if (!ended_)
            trace("destroyed");
    }

    /// True once the coroutine has ended.
    bool done() const { return ended_; }

    /// Where the coroutine waits: see Generator::chain.
    std::vector<Place> chain() const { return coroutine_.chain(); }

  private:
    /// Resumes the coroutine with the result of the future that it waited for; the first
    /// step has none. Throws TaskFailed if the coroutine throws.
    void step(const Future* awaited) {
        trace("step", awaited);
        Coroutine<>::Reply reply;
        try {
            reply = awaited != nullptr ? coroutine_.send(awaited->result())
                                       : coroutine_.next();
        } catch (...) {
            ended_ = true;
            trace("threw");
            throw TaskFailed(coroutine_.traceback());
        }
        ended_ = !reply.yielded;
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
    bool ended_ = false; // a coroutine that is running can't be asked
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
        // that are done are swept out here. Since that looks at every task, it isn't done
        // each time.
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
