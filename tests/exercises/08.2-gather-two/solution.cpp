#include "exercise.h"
#include "stage2_coroutines/task.h"

#include <memory>
#include <utility>

using stage2::Coroutine;
using stage2::Future;
using stage2::FuturePtr;

namespace {

/// Awaits the coroutine, and resolves the future with its result.
Coroutine<> resolve_with(Coroutine<std::string> coroutine, FuturePtr future) {
    std::string result = co_await std::move(coroutine);
    future->set_result(std::move(result));
}

} // namespace

Coroutine<std::pair<std::string, std::string>>
gather(Coroutine<std::string> a, Coroutine<std::string> b, stage2::TaskList* tasks) {
    const auto first = std::make_shared<Future>();
    const auto second = std::make_shared<Future>();
    tasks->start(resolve_with(std::move(a), first));
    tasks->start(resolve_with(std::move(b), second));
    if (!first->done())
        co_await first;
    if (!second->done()) // it may have ended during the first wait
        co_await second;
    std::pair<std::string, std::string> both(first->result(), second->result());
    co_return both;
}
