#include "stage3_queue_crawler/runtime/sync/semaphore.h"

#include <algorithm>

namespace stage3 {
namespace {

/// Something else has a handle to it, and it can still be resolved.
bool waits(const Ref<FutureState<Permit>>& one) {
    return !one->done() && !one.is_only_one() && one->loop() != nullptr;
}

} // namespace

Permit::~Permit() { // NOLINT(bugprone-exception-escape): completing doesn't fail
    if (semaphore_)
        Semaphore::take_back(semaphore_);
}

Semaphore::Semaphore(std::size_t permits)
    : state_(std::make_shared<State>(State{.free = permits, .line = {}})) {}

// [acquire]
Future<Permit> Semaphore::acquire() {
    Future<Permit> turn;
    if (state_->free > 0) {
        --state_->free;
        turn.set_result(Permit(state_));
        return turn;
    }
    state_->add(turn.state());
    return turn;
}

void Semaphore::take_back(const std::shared_ptr<State>& state) {
    while (!state->line.empty()) {
        const Ref<FutureState<Permit>> next = std::move(state->line.front());
        state->line.pop_front();
        if (waits(next)) {
            next->set_result(Permit(state));
            return;
        }
    }
    ++state->free;
}
// [/acquire]

void Semaphore::State::add(Ref<FutureState<Permit>> one) {
    if (line.size() >= sweep_at) { // those that have gone are still in it
        std::erase_if(line, [](const auto& old) { return !waits(old); });
        sweep_at = std::max(std::size_t{16}, 2 * line.size());
    }
    line.push_back(std::move(one));
}

} // namespace stage3
