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
/// If the pool ends before the call begins, the future is cancelled. Throws what
/// ThreadPool::submit throws.
///
/// The other thread never touches the future: what it has computed is carried back in a
/// letter, and the loop's thread hands it over. The letter is written before the call, so
/// that the other thread needs no memory to send it. If the loop is closed by then, the
/// mailbox refuses it.
///
/// In the other thread, signals are blocked: see helper_thread.h. A program that
/// `function` starts inherits that, unless `function` unblocks them for it.
template <class Function>
auto run_in_executor(EventLoop& loop, ThreadPool& pool, Function function,
                     std::source_location at = std::source_location::current()) {
    using T = std::invoke_result_t<Function>;

    /// What both threads know. Only `unwanted` may be touched by two at once.
    struct Call {
        explicit Call(Function f) : function(std::move(f)) {}

        void compute() noexcept {
            if (unwanted)
                return;
            try {
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
            const auto waiting = future;
            if (!waiting || waiting->done())
                return;
            try {
                if (exception)
                    waiting->set_exception(exception);
                else if (value)
                    waiting->set_result(*std::move(value));
                else
                    waiting->cancel("no thread pool");
            } catch (...) { // the value can't be moved
                waiting->set_exception(std::current_exception());
            }
        }

        Function function;
        Ref<FutureState<T>> future; // only the loop's thread uses it
        std::optional<ValueOf<T>> value;
        std::exception_ptr exception;
        std::atomic<bool> unwanted = false;
    };

    /// What the other thread does. However it ends, the letter is sent.
    class Job {
      public:
        Job(std::shared_ptr<Call> call, std::shared_ptr<Mailbox> mailbox,
            std::source_location at)
            : call_(std::move(call)), mailbox_(std::move(mailbox)),
              letter_(write_letter([call = call_] { call->hand_over(); },
                                   "call_soon_threadsafe", at)) {}
        Job(Job&&) noexcept = default;
        Job& operator=(Job&&) = delete;
        Job(const Job&) = delete;
        Job& operator=(const Job&) = delete;
        ~Job() {
            call_ = {}; // the letter has it
            if (letter_)
                mailbox_->put(std::move(letter_));
        }
        void operator()() const noexcept { call_->compute(); }

      private:
        std::shared_ptr<Call> call_;
        std::shared_ptr<Mailbox> mailbox_;
        std::unique_ptr<Letter> letter_;
    };

    /// Belongs to the future: called when it's done, and destroyed in the loop's thread.
    class LetGo {
      public:
        explicit LetGo(std::shared_ptr<Call> call) : call_(std::move(call)) {}
        LetGo(LetGo&&) noexcept = default;
        LetGo& operator=(LetGo&&) = delete;
        LetGo(const LetGo&) = delete;
        LetGo& operator=(const LetGo&) = delete;
        ~LetGo() {
            if (!call_)
                return;
            call_->unwanted = true;
            call_->future = {};
        }
        void operator()() const {}

      private:
        std::shared_ptr<Call> call_;
    };

    auto call = std::make_shared<Call>(std::move(function));
    Job job(call, loop.mailbox(), at);
    Future<T> future(loop, at);
    future.base().add_done_callback(LetGo(call), at);
    call->future = future.state();
    pool.submit(std::move(job));
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
