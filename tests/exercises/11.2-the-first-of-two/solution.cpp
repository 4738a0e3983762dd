// Woken by whichever is done, it cancels both, and waits for both.
#include "exercise.h"

#include <optional>
#include <utility>
#include <vector>

using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Event;
using stage3::Task;

Coroutine<int> first_of(Task<int> one, Task<int> other) {
    Event woken;
    const stage3::CancelAtExit first(
        one.add_done_callback([&](const auto&) { woken.set(); }));
    const stage3::CancelAtExit second(
        other.add_done_callback([&](const auto&) { woken.set(); }));
    std::optional<Cancelled> cancelled;
    try {
        co_await woken.wait();
    } catch (const Cancelled& request) {
        cancelled = request;
    }
    const bool one_was_first = one.done();
    std::vector<Task<int>> both(1, one);
    both.push_back(other);
    for (auto& task : both)
        task.cancel(); // of no effect on one that is done
    co_await stage3::wait(both);
    if (cancelled)
        throw Cancelled(*cancelled);
    co_return one_was_first ? one.result() : other.result();
}
