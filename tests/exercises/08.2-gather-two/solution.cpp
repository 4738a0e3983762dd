#include "exercise.h"

#include <memory>
#include <utility>

using small::Coroutine;
using small::Future;
using small::FuturePtr;

namespace {

/// Awaits the coroutine, and resolves the future with its result.
Coroutine<bool> resolve_with(Coroutine<std::string> coroutine, FuturePtr future) {
    std::string result = co_await std::move(coroutine);
    future->set_result(std::move(result));
    co_return true;
}

} // namespace

Coroutine<std::pair<std::string, std::string>>
gather(Coroutine<std::string> a, Coroutine<std::string> b, Started* started) {
    const auto first = std::make_shared<Future>();
    const auto second = std::make_shared<Future>();
    started->push_back(resolve_with(std::move(a), first));
    started->back().start();
    started->push_back(resolve_with(std::move(b), second));
    started->back().start();
    co_await first;
    co_await second; // it may have ended during the first wait
    std::pair<std::string, std::string> both(first->result(), second->result());
    co_return both;
}
