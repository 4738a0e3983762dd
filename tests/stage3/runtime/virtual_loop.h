// A loop with a virtual clock, for tests and for programs that show what a loop does.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/virtual_time.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tests {

using Log = std::vector<std::string>;

/// The exception that these tests throw.
struct Rain : std::runtime_error {
    Rain() : std::runtime_error("it rains") {}
};

/// Both ends of a pipe.
struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe");
        read = common::Socket(ends[0]);
        write = common::Socket(ends[1]);
    }
    common::Socket read, write;
};

/// A loop, and the log of a test.
class LoopTest {
  public:
    LoopTest() {
        loop.set_exception_handler(
            [this](const stage3::Report& report) { reports.push_back(report); });
    }

    VirtualTime time;
    Log log;
    std::vector<stage3::Report> reports;
    stage3::EventLoop loop{time.options()};

    /// Runs the loop for `count` turns.
    void turns(int count) {
        for (int i = 0; i < count; ++i) {
            loop.stop();
            loop.run_forever();
        }
    }

    template <class T>
    T run(stage3::Coroutine<T> coroutine) {
        return stage3::run_until_complete(loop, std::move(coroutine));
    }
    template <class T>
    stage3::Task<T> task(stage3::Coroutine<T> coroutine) {
        return stage3::create_task(loop, std::move(coroutine));
    }
    template <class T = void>
    stage3::Future<T> future() {
        return stage3::Future<T>(loop);
    }
    void note(std::string text) { log.push_back(std::move(text)); }
    auto noting(const std::string& text) {
        return [this, text] { log.push_back(text); };
    }
    /// Milliseconds since the test began.
    long elapsed() const {
        return static_cast<long>((time.now.time_since_epoch() - std::chrono::hours(1))
                                 / std::chrono::milliseconds(1));
    }
};

} // namespace tests
