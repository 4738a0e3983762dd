#include "stage2_coroutines/task.h"

namespace stage2 {

/// For the phase "suspend", `future` is what the task waits for now; for "step", what it
/// has waited for.
void Task::trace(std::string_view phase, const Future* future) const {
    if (!tracer_.enabled()) [[likely]]
        return;
    if (phase != "suspend") {
        if (future != nullptr)
            tracer_.future_resolve(future);
        tracer_.task(phase, this);
        return;
    }
    std::vector<common::ChainLink> links;
    for (const Place& place : chain())
        links.push_back({common::short_name(place.function.function_name()),
                         common::file_and_line(place.line)});
    tracer_.future_new(future);
    tracer_.task(phase, this, future, links);
}

} // namespace stage2
