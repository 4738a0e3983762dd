#include "stage3_queue_crawler/runtime/loop/timers.h"

#include <algorithm>
#include <utility>

namespace stage3 {

void Timers::add(TimePoint when, Handle callback) {
    // Taking a cancelled timer out of the middle of a heap means searching for it. So it
    // stays until it reaches the top. A program that sets a time limit for each request,
    // and cancels it each time, would accumulate them by the thousand; hence a sweep
    // whenever the heap has doubled.
    if (heap_.size() >= sweep_at_) {
        std::erase_if(heap_,
                      [](const Timer& timer) { return timer.callback.cancelled(); });
        std::ranges::make_heap(heap_, is_later);
        sweep_at_ = std::max(std::size_t{100}, 2 * heap_.size());
    }
    heap_.push_back({when, next_number_++, std::move(callback)});
    std::ranges::push_heap(heap_, is_later);
}

Handle Timers::take_first() {
    std::ranges::pop_heap(heap_, is_later);
    auto callback = std::move(heap_.back().callback);
    heap_.pop_back();
    return callback;
}

std::optional<Timers::TimePoint> Timers::next() {
    while (!heap_.empty() && heap_.front().callback.cancelled())
        take_first();
    if (heap_.empty())
        return std::nullopt;
    return heap_.front().when;
}

RunQueue Timers::take_due(TimePoint now) {
    RunQueue due;
    for (auto when = next(); when && *when <= now; when = next())
        take_first()->stand_in(due);
    return due;
}

void Timers::clear() {
    // Destroying what a function holds may call this object, which must be empty by then.
    const std::vector<Timer> gone = std::exchange(heap_, {});
    for (const Timer& timer : gone)
        timer.callback->drop();
}

} // namespace stage3
