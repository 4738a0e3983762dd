// When either task is done, this cancels both and waits for both, whatever happens.
#include "exercise.h"

#include <optional>

using stage3::CancelAtExit;
using stage3::Cancelled;
using stage3::Coroutine;
using stage3::Event;
using stage3::Task;

Coroutine<int> first_of(Task<int> one, Task<int> other) {
    Event woken;
    const auto wake = [&](const auto&) { woken.set(); };
    const CancelAtExit first(one.add_done_callback(wake));
    const CancelAtExit second(other.add_done_callback(wake));
    std::optional<Cancelled> cancelled;
    try {
        co_await woken.wait();
    } catch (const Cancelled& request) {
        cancelled = request;
    }
    const bool one_was_first = one.done();
    one.cancel(); // of no effect on one that is done
    other.cancel();
    while (!one.done() || !other.done()) {
        woken.clear();
        try {
            co_await woken.wait();
        } catch (const Cancelled& another) {
            cancelled = another; // and wait on
        }
    }
    if (cancelled)
        throw Cancelled(*cancelled);
    co_return one_was_first ? one.result() : other.result();
}
