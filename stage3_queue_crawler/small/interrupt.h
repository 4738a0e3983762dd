// Ctrl-C, as a callback of the loop.
//
// The real one is program/interrupt.cpp. Page 17 of the book.
#pragma once

#include "common/system/selector.h"
#include "stage3_queue_crawler/small/event_loop.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace stage3::small {

// [ctrl-c]
/// Calls `callback` from the loop at the first Ctrl-C. The second one ends the program.
class CtrlC {
  public:
    CtrlC(EventLoop& loop, std::function<void()> callback) : loop_(loop) {
        if (::pipe(ends_.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe");
        write_end = ends_[1];
        loop_.watch(ends_[0], common::Events::read,
                    [this, callback = std::move(callback)] {
                        char byte = 0;
                        if (::read(ends_[0], &byte, 1) == 1)
                            callback();
                    });
        std::signal(SIGINT, &on_signal);
    }
    CtrlC(const CtrlC&) = delete;
    CtrlC& operator=(const CtrlC&) = delete;
    ~CtrlC() {
        std::signal(SIGINT, SIG_DFL);
        loop_.unwatch(ends_[0]);
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

  private:
    /// Called by the kernel, wherever the program is.
    static void on_signal(int number) {
        std::signal(number, SIG_DFL); // so that the second one ends the program
        [[maybe_unused]] const auto written = ::write(write_end, "", 1);
    }

    static inline volatile std::sig_atomic_t write_end = -1; // a handler is given no data
    EventLoop& loop_;
    std::array<int, 2> ends_{};
};
// [/ctrl-c]

} // namespace stage3::small
