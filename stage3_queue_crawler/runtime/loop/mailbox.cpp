#include "stage3_queue_crawler/runtime/loop/mailbox.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

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

Mailbox::Mailbox() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(),
                                "no pipe for the event loop");
    reading_ = common::Socket(ends[0]);
    writing_ = common::Socket(ends[1]);
    for (const int fd : ends)
        if (const auto error = common::make_nonblocking(fd))
            throw std::system_error(error, "the event loop's pipe");
}

void Mailbox::put(Function function, std::source_location at) {
    {
        const std::lock_guard lock(mutex_);
        letters_.push_back({std::move(function), at});
        if (has_mail_.exchange(true, std::memory_order_release))
            return; // the loop has been woken already, and has not looked yet
    }
    const unsigned char byte = 0;
    static_cast<void>(!::write(writing_.fd(), &byte, 1));
}

std::vector<Mailbox::Letter> Mailbox::take() {
    const std::lock_guard lock(mutex_);
    has_mail_.store(false, std::memory_order_relaxed);
    return std::exchange(letters_, {});
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
