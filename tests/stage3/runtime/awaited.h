// For tests that are coroutines: what another one returns, and what it throws.
#pragma once

#include "stage3_queue_crawler/runtime/task/task.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"

#include <source_location>

namespace tests {

/// Checks what a coroutine, a task or a future gives.
template <class Awaitable, class Expected>
stage3::Coroutine<> expect(Awaitable awaited, Expected expected,
                           std::source_location at = std::source_location::current()) {
    const auto got = co_await std::move(awaited);
    if (!(got == expected))
        ADD_FAIL_CHECK_AT(at.file_name(), static_cast<int>(at.line()),
                          "it gave " << doctest::toString(got));
}

/// True if the coroutine throws such an exception.
template <class Error, class T>
stage3::Coroutine<bool> throws(stage3::Coroutine<T> coroutine) {
    try {
        co_await std::move(coroutine);
    } catch (const Error&) {
        co_return true;
    }
    co_return false;
}

/// The code of the std::system_error that the coroutine throws.
template <class T>
stage3::Coroutine<std::error_code> error_of(stage3::Coroutine<T> coroutine) {
    try {
        co_await std::move(coroutine);
    } catch (const std::system_error& error) {
        co_return error.code();
    }
    co_return std::error_code();
}

/// Asks a task to end, and waits until it has.
template <class T>
stage3::Coroutine<> end(stage3::Task<T> task) {
    task.cancel();
    const std::vector<stage3::Task<T>> one{task};
    const bool has_ended = co_await stage3::wait(one, std::chrono::seconds(10));
    CHECK(has_ended);
}

} // namespace tests
