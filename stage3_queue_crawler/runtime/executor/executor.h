// For what can't be awaited: calls that block, and long computations.
//
// The loop's thread must not block. So such a call is made in another thread, and a
// future represents its result. In C++ these threads really run at the same time: nothing
// else may touch what they use meanwhile. Page 12 of the book.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/loop/thread_pool.h"
#include "stage3_queue_crawler/runtime/task/future.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stage3 {

/// Calls `function` in a thread of `pool`. The future gets what it returns or throws. If
/// the future is cancelled, a call that has begun continues, and its result is dropped.
///
/// The other thread never touches the future: what it has computed is carried back, and
/// the loop's thread hands it over.
template <class Function>
auto run_in_executor(EventLoop& loop, ThreadPool& pool, Function function,
                     std::source_location at = std::source_location::current()) {
    using T = std::invoke_result_t<Function>;
    struct Job {
        Job(Function f, EventLoop& loop, std::source_location at)
            : function(std::move(f)), future(loop, at) {}

        void compute() noexcept {
            try {
                if (unwanted)
                    return;
                if constexpr (std::is_void_v<T>) {
                    function();
                    value.emplace();
                } else {
                    value.emplace(function());
                }
            } catch (...) {
                exception = std::current_exception();
            }
        }
        void hand_over() {
            if (future.done())
                return;
            if (exception)
                future.set_exception(std::move(exception));
            else
                static_cast<FutureState<T>&>(future.base())
                    .set_result(
                        *std::move(value)); // NOLINT(bugprone-unchecked-optional-access)
        }

        Function function;
        Future<T> future;
        std::optional<ValueOf<T>> value;
        std::exception_ptr exception;
        std::atomic<bool> unwanted = false;
    };
    // Moved from thread to thread; only `unwanted` may be touched by two at once.
    auto job = std::make_shared<Job>(std::move(function), loop, at);
    Future<T> future = job->future;
    future.add_done_callback([weak = std::weak_ptr<Job>(job)](const Future<T>&) {
        if (const auto unfinished = weak.lock())
            unfinished->unwanted = true;
    });
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the pool owns it from here
    pool.submit([&loop, job = std::move(job), at]() mutable {
        job->compute();
        loop.call_soon_threadsafe([job = std::move(job)] { job->hand_over(); }, at);
    });
    return future;
}

/// The same, in the loop's own pool.
template <class Function>
auto run_in_executor(EventLoop& loop, Function function,
                     std::source_location at = std::source_location::current()) {
    return run_in_executor(loop, loop.thread_pool(), std::move(function), at);
}

/// The addresses of a host, looked up in another thread: see common::resolve.
/// Throws common::ResolveError.
Coroutine<std::vector<common::Address>> getaddrinfo(std::string host, std::uint16_t port);

} // namespace stage3
