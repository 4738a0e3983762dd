// Both are children of a group, and the first to have a result asks the other to end.
#include "exercise.h"

#include <optional>
#include <utility>

using stage3::small::Coroutine;
using stage3::small::EventLoop;
using stage3::small::Group;

namespace {

Coroutine<> answer(Coroutine<int> server, std::optional<int>& first, Group& group) {
    const int value = co_await std::move(server);
    if (!first) {
        first = value;
        group.cancel();
    }
}

} // namespace

Coroutine<int> first_of(EventLoop& loop, Coroutine<int> one, Coroutine<int> other) {
    std::optional<int> first;
    Group group(loop);
    group.start(answer(std::move(one), first, group));
    group.start(answer(std::move(other), first, group));
    co_await group.wait();
    co_return first.value_or(0); // it has one by now
}
