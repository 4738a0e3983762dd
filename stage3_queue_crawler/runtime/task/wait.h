// Ways to wait: for a while, for one thing but not forever, for several things.
// Page 18b of the book.
//
// Without memory: each of these throws, and what it was to wait for goes on by itself.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"

#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace stage3 {

using FuturePtr = Ref<FutureBase>; ///< to any kind of future

/// `co_await next_turn()` lets all other tasks run, and resumes in the next turn.
class [[nodiscard]] NextTurn {
  public:
    using AwaitedByTasks = void;
    bool await_ready() const noexcept { return false; }
    template <Driven Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) {
        task_ = frame.promise().task;
        task_->wait_for_next_turn();
    }
    void await_resume() const { task_->throw_if_cancelled(); }

  private:
    TaskBase* task_ = nullptr;
};
inline NextTurn next_turn() { return {}; }

/// Returns after `duration`. Zero or less: in the next turn.
Coroutine<> sleep(EventLoop::Duration duration);

/// Returns when the descriptor can be read, or written; also if it's broken, so that the
/// next call says why. Only one task at a time may wait for each: a second one gets
/// std::logic_error. The descriptor must stay open until then.
Coroutine<> readable(int fd);
Coroutine<> writable(int fd);

using TimeLimit = std::optional<EventLoop::Duration>; ///< none: forever

/// Fails `future` with Timeout when the time is up; no limit: never. Keeps it alive until
/// then, unless the returned handle is cancelled first.
template <class T>
Handle fail_after(Future<T> future, TimeLimit limit) {
    if (!limit)
        return {};
    return running_loop().call_later(*limit, [future = std::move(future)] {
        if (!future.done())
            future.fail_with([] { throw Timeout(); });
    });
}

namespace detail {

/// Waits until `inner` is done, but not longer than `timeout`: after that it's cancelled,
/// and waited for all the same. True if that was necessary. If the caller is cancelled,
/// so is `inner`; if that ends with a result or an exception of its own, this returns,
/// and the caller's next wait throws Cancelled.
Coroutine<bool> wait_or_cancel(FuturePtr inner, EventLoop::Duration timeout);

/// Waits until all are done, or one has failed. Returns the index of the first to fail;
/// `children.size()`: none. If cancelled while it waits, it cancels them all.
Coroutine<std::size_t> wait_for_all_or_failure(std::vector<FuturePtr> children);

} // namespace detail

// [wait-for]
/// The result of `inner`, if it comes within `timeout`. If not, `inner` is cancelled, and
/// when it has ended, Timeout is thrown. If `inner` still returns a value, that wins; if
/// it throws something else, that is thrown. The same holds if the caller is cancelled,
/// and then its next wait throws Cancelled.
template <class T>
Coroutine<T> wait_for(Future<T> inner, EventLoop::Duration timeout) {
    const bool timed_out = co_await detail::wait_or_cancel(inner.ref(), timeout);
    if (timed_out && inner.cancelled())
        throw Timeout();
    co_return co_await std::move(inner);
}
// [/wait-for]
template <class T>
Coroutine<T> wait_for(Coroutine<T> inner, EventLoop::Duration timeout) {
    co_return co_await wait_for(ensure_future(std::move(inner)), timeout);
}
template <class T>
Coroutine<T> wait_for(Task<T> inner, EventLoop::Duration timeout) {
    return wait_for(static_cast<Future<T>&&>(inner), timeout);
}

/// Waits until all are done, however they end, or until the time is up. Neither that nor
/// being cancelled affects them. False if the time was up first.
Coroutine<bool> wait(std::vector<FuturePtr> futures, TimeLimit limit = {});
template <class AnyFuture>
Coroutine<bool> wait(const std::vector<AnyFuture>& futures, TimeLimit limit = {}) {
    std::vector<FuturePtr> all;
    all.reserve(futures.size());
    for (const auto& future : futures)
        all.push_back(future.ref());
    return wait(std::move(all), limit);
}

/// Their results, in their order. The first exception is thrown at once, and the others
/// keep running; what they throw after that is lost. If cancelled, it cancels them all,
/// and throws once one of them has failed or been cancelled, or all are done.
template <class T>
Coroutine<std::vector<ValueOf<T>>> gather(std::vector<Future<T>> futures) {
    std::vector<FuturePtr> all;
    all.reserve(futures.size());
    for (const auto& future : futures)
        all.push_back(future.ref());
    const std::size_t failed = co_await detail::wait_for_all_or_failure(std::move(all));
    if (failed < futures.size())
        co_await futures[failed]; // throws
    std::vector<ValueOf<T>> results;
    results.reserve(futures.size());
    for (auto& future : futures)
        results.push_back(std::move(future).take());
    co_return results;
}
/// The same for several types at once, as a tuple.
template <class... T>
Coroutine<std::tuple<ValueOf<T>...>> gather(Future<T>... futures) {
    std::vector<FuturePtr> all;
    (all.push_back(futures.ref()), ...);
    const std::size_t failed = co_await detail::wait_for_all_or_failure(all);
    if (failed < all.size())
        std::rethrow_exception(all[failed]->exception());
    all.clear(); // or nothing could be moved out
    co_return std::tuple<ValueOf<T>...>(std::move(futures).take()...);
}

} // namespace stage3
