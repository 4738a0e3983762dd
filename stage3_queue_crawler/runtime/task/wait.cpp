#include "stage3_queue_crawler/runtime/task/wait.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"

#include <stdexcept>
#include <utility>

namespace stage3 {

Coroutine<> sleep(EventLoop::Duration duration) {
    if (duration <= EventLoop::Duration::zero()) {
        co_await next_turn();
        co_return;
    }
    Future<> over;
    const CancelAtExit timer(
        running_loop().call_later(duration, [over] { over.set_result_unless_done(); }));
    co_await over;
}

// [readable]
Coroutine<> readable(int fd) {
    EventLoop& loop = running_loop();
    if (loop.has_reader(fd))
        throw std::logic_error("another task waits until it can read this descriptor");
    const Future<> ready;
    const AtExit stop([&loop, fd] { loop.remove_reader(fd); });
    loop.add_reader(fd, [ready] { ready.set_result_unless_done(); });
    co_await ready;
}
// [/readable]

Coroutine<> writable(int fd) {
    EventLoop& loop = running_loop();
    if (loop.has_writer(fd))
        throw std::logic_error("another task waits until it can write this descriptor");
    const Future<> ready;
    const AtExit stop([&loop, fd] { loop.remove_writer(fd); });
    loop.add_writer(fd, [ready] { ready.set_result_unless_done(); });
    co_await ready;
}

namespace {

/// Resolves `waiter` when `future` is done.
Handle wake_when_done(FutureBase& future, const Future<>& waiter) {
    return future.add_done_callback([waiter] { waiter.set_result_unless_done(); },
                                    std::source_location::current());
}

/// Asks `future` to end, and waits until it has. A request for *us* to end meanwhile is
/// passed on, and has to wait for that, too; the last such request is returned.
Coroutine<std::optional<Cancelled>> cancel_and_wait(FuturePtr future) {
    std::optional<Cancelled> request;
    future->cancel({});
    while (!future->done()) {
        const Future<> ended;
        const CancelAtExit callback(wake_when_done(*future, ended));
        try {
            co_await ended;
        } catch (const Cancelled& another) {
            request = another;
        }
        if (request)
            future->cancel(request->message);
    }
    co_return request;
}

} // namespace

namespace detail {

Coroutine<bool> wait_or_cancel(FuturePtr inner, EventLoop::Duration timeout) {
    std::optional<Cancelled> cancelled;
    if (timeout > EventLoop::Duration::zero() && !inner->done()) {
        Future<> woken; // when inner is done, or the time is over
        const CancelAtExit callback(wake_when_done(*inner, woken));
        const CancelAtExit timer(running_loop().call_later(
            timeout, [woken] { woken.set_result_unless_done(); }));
        try {
            co_await woken;
        } catch (const Cancelled& request) {
            cancelled = request; // a handler can't co_await, so it's handled below
        }
    }
    const bool must_cancel = !inner->done();
    if (must_cancel) {
        auto another = co_await cancel_and_wait(inner);
        if (another)
            cancelled = std::move(another);
    }
    if (cancelled && inner->cancelled())
        throw Cancelled(*std::move(cancelled)); // once, for both
    // If we were cancelled, and `inner` has ended all the same, neither may be lost: the
    // caller gets the result now, and Cancelled at its next wait.
    if (cancelled)
        current_task()->cancel_at_next_wait(*std::move(cancelled));
    co_return must_cancel;
}

namespace {

struct Gathering {
    std::size_t left;
    std::size_t failed; // index of the first that did; the number of children: none
    Future<> woken;

    bool over(std::size_t children) const { return left == 0 || failed < children; }
};

} // namespace

Coroutine<std::size_t> wait_for_all_or_failure(std::vector<FuturePtr> children) {
    const std::size_t count = children.size();
    if (count == 0)
        co_return 0;
    Gathering state{.left = count, .failed = count, .woken = Future<>()};
    std::vector<Handle> callbacks;
    callbacks.reserve(count);
    const AtExit stop([&callbacks] {
        for (const Handle& one : callbacks)
            one.cancel();
    });
    for (std::size_t i = 0; i < count; ++i) {
        FutureBase& child = *children[i];
        child.mark_retrieved(); // we throw what matters of it
        callbacks.push_back(child.add_done_callback(
            [&state, &child, i, count] {
                --state.left;
                if (state.failed == count && (child.cancelled() || child.exception()))
                    state.failed = i;
                if (state.over(count))
                    state.woken.set_result_unless_done();
            },
            std::source_location::current()));
    }
    std::optional<Cancelled> cancelled;
    try {
        co_await state.woken;
    } catch (const Cancelled& request) {
        cancelled = request;
    }
    if (!cancelled)
        co_return state.failed;
    if (!state.over(count)) {
        for (const FuturePtr& child : children)
            child->cancel(cancelled->message);
        state.woken = Future<>(); // the previous one was cancelled
        co_await state.woken;
        if (state.failed < count && !children[state.failed]->cancelled())
            co_return state.failed; // it answered with an error, which takes precedence
    }
    throw Cancelled(*std::move(cancelled));
}

} // namespace detail

Coroutine<bool> wait(std::vector<FuturePtr> futures, TimeLimit limit) {
    const Future<> over;
    std::optional<CancelAtExit> timer;
    if (limit)
        timer.emplace(
            running_loop().call_later(*limit, [over] { over.set_result_unless_done(); }));
    for (const FuturePtr& future : futures) {
        if (future->done())
            continue;
        Future<> woken;
        const CancelAtExit callback(wake_when_done(*future, woken));
        const CancelAtExit bell(wake_when_done(over.base(), woken));
        co_await woken;
        if (!future->done())
            co_return false;
    }
    co_return true;
}

} // namespace stage3
