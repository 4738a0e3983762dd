#include "stage3_queue_crawler/runtime/loop/mailbox.h"

#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace stage3 {
namespace {

// A signal handler is a plain function, and gets nothing but the signal's number. All
// else that it needs has to be in global variables.
struct SignalWatch {
    std::atomic<int> fd = -1; // to wake the loop; -1: no loop watches
    std::atomic<bool> has_come = false;
    struct sigaction before{};
};
constexpr std::size_t signal_count = 65; // Linux has 1 to 64, macOS has fewer
std::array<SignalWatch, signal_count> signal_watches;

extern "C" void write_signal(int number) {
    const int before = errno; // the code that was interrupted may be about to read it
    SignalWatch& watch = signal_watches[static_cast<std::size_t>(number)];
    watch.has_come = true;
    const int fd = watch.fd;
    const unsigned char byte = 0;
    if (fd >= 0)
        static_cast<void>(!::write(fd, &byte, 1)); // a full pipe wakes the loop, too
    errno = before;
}

SignalWatch& watch_for(int number) {
    if (number <= 0 || static_cast<std::size_t>(number) >= signal_watches.size())
        throw std::invalid_argument(fmt::format("there is no signal {}", number));
    return signal_watches[static_cast<std::size_t>(number)];
}

} // namespace

// ---- Letters ----

void Letter::run() noexcept {
    const std::unique_ptr<Letter> self(this);
    EventLoop& loop = running_loop();
    try {
        const common::Tracer::CallbackRuns runs(loop.tracer(), name_, at_, -1, this);
        call();
    } catch (...) {
        loop.report("an exception has left a callback", std::current_exception());
    }
}

void Letter::trace_ready(common::Tracer& tracer) const {
    if (!name_.empty())
        tracer.schedule_call(this, name_, at_);
}

// ---- The mailbox ----

Mailbox::Mailbox() {
    std::array<int, 2> ends{};
#ifdef __linux__
    const int failure = ::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC);
#else
    const int failure = ::pipe(ends.data());
#endif
    if (failure != 0)
        throw std::system_error(errno, std::generic_category(),
                                "no pipe for the event loop");
    reading_ = common::Socket(ends[0]);
    writing_ = common::Socket(ends[1]);
#ifndef __linux__
    for (const int fd : ends)
        if (const auto error = common::make_nonblocking(fd))
            throw std::system_error(error, "the event loop's pipe");
#endif
}

bool Mailbox::put(std::unique_ptr<Letter> letter) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (closed_)
            return false;
        letters_.push(*letter.release());
        if (has_mail_.exchange(true, std::memory_order_release))
            return true; // the loop has been woken already, and has not looked yet
    }
    const unsigned char byte = 0;
    static_cast<void>(!::write(writing_.fd(), &byte, 1));
    return true;
}

RunQueue Mailbox::take() noexcept {
    const std::lock_guard lock(mutex_);
    has_mail_.store(false, std::memory_order_relaxed);
    return std::move(letters_);
}

void Mailbox::close() noexcept {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    take().clear(); // without the mutex: destroying a function may do anything
}

void Mailbox::empty_pipe() {
    std::array<unsigned char, 256> bytes{};
    for (;;) {
        const auto count = ::read(reading_.fd(), bytes.data(), bytes.size());
        if (count == 0 || (count < 0 && errno != EINTR))
            return; // it is empty
    }
}

bool Mailbox::take_signal(int number) {
    return watch_for(number).has_come.exchange(false);
}

void Mailbox::watch_signal(int number) {
    SignalWatch& watch = watch_for(number);
    int nobody = -1;
    if (!watch.fd.compare_exchange_strong(nobody, writing_.fd())
        && watch.fd != writing_.fd())
        throw std::invalid_argument(
            fmt::format("another event loop watches signal {}", number));
    if (nobody != -1)
        return; // this loop watches it already
    watch.has_come = false;
    struct sigaction action{};
    action.sa_handler = write_signal;
    action.sa_flags = SA_RESTART;
    ::sigfillset(&action.sa_mask);
    if (::sigaction(number, &action, &watch.before) != 0) {
        watch.fd = -1;
        throw std::invalid_argument(fmt::format("signal {} can't be caught", number));
    }
}

void Mailbox::unwatch_signal(int number) {
    SignalWatch& watch = watch_for(number);
    ::sigaction(number, &watch.before, nullptr);
    watch.fd = -1;
}

} // namespace stage3
