#include "stage2_coroutines/task.h"

namespace stage2 {

/// For the phase "suspend", `future` is what the task waits for now; for "step", it is
/// what the task has waited for.
void Task::trace(std::string_view phase, const Future* future) const {
    if (!tracer_.enabled()) [[likely]]
        return;
    if (phase == "new") {
        tracer_.task_new(this, {}, chain().front());
    } else if (phase == "step") {
        if (future != nullptr)
            tracer_.future_end(future, "resolve");
        tracer_.task_step(this);
    } else if (phase == "suspend") {
        tracer_.future_met(future);
        tracer_.task_suspend(this, future, chain());
    } else {
        tracer_.task_done(this, phase); // how it has ended
    }
}

void Task::called(const Place& caller, const Place& callee) {
    tracer_.coroutine_call(this, caller, callee);
}
void Task::ended(const Place& caller, const Place& callee) {
    tracer_.coroutine_return(this, caller, callee);
}

} // namespace stage2
