// For tests of the runtime: the prelude, a loop with a virtual clock, and how tasks end.
#pragma once

#include "tests/stage3/runtime/virtual_loop.h"
#include "tests/support/prelude.h"

namespace tests {

/// Returns when its task is asked to end.
inline stage3::Coroutine<> until_asked() {
    try {
        co_await stage3::Future<>();
    } catch (const stage3::Cancelled&) { // NOLINT(bugprone-empty-catch): that's the point
    }
}

/// The message with which the future is cancelled in the end.
template <class T>
std::string request_that_ends(stage3::EventLoop& loop, const stage3::Future<T>& future) {
    try {
        static_cast<void>(stage3::run_until_complete<T>(loop, future));
    } catch (const stage3::Cancelled& cancelled) {
        return cancelled.message;
    }
    return "it isn't cancelled";
}

} // namespace tests
