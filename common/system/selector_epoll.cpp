// `epoll`, Linux's answer to ten thousand connections: the list of descriptors stays in
// the kernel, which notes each one that becomes ready. A wait then costs only as much as
// there is to report, however many are watched. BSD and macOS have kqueue for this.
//
// What it costs: an extra system call for each change to the list. See man 7 epoll.
#ifdef __linux__

#include "common/system/selector_backends.h"
#include "common/system/socket.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include <sys/epoll.h>

namespace common {
namespace {

std::uint32_t to_epoll(Events events) {
    std::uint32_t mask = 0;
    if ((events & Events::read) != Events::none)
        mask |= EPOLLIN;
    if ((events & Events::write) != Events::none)
        mask |= EPOLLOUT;
    return mask;
}

/// As with poll, an error or a hang-up counts as readiness for everything.
Events from_epoll(std::uint32_t mask) {
    Events events = Events::none;
    if ((mask & ~std::uint32_t{EPOLLOUT}) != 0)
        events = events | Events::read;
    if ((mask & ~std::uint32_t{EPOLLIN}) != 0)
        events = events | Events::write;
    return events;
}

class EpollSelector final : public Selector {
  public:
    EpollSelector() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (!epoll_)
            throw std::system_error(errno, std::generic_category(), "epoll_create1");
    }

    std::string_view name() const override { return "epoll"; }

  private:
    // [control]
    void control(int operation, int fd, Events events) {
        epoll_event event{};
        event.events = to_epoll(events);
        event.data.fd = fd;
        if (::epoll_ctl(epoll_.fd(), operation, fd, &event) < 0)
            throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }

    void add(int fd, Events events) override { control(EPOLL_CTL_ADD, fd, events); }
    void change(int fd, Events events) override { control(EPOLL_CTL_MOD, fd, events); }
    // [/control]

    bool remove(int fd) override {
        epoll_event unused{};
        return ::epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, &unused) == 0;
    }

    // [wait]
    bool wait(int timeout_ms, std::vector<Ready>& ready) override {
        std::array<epoll_event, 256> batch; // what doesn't fit is reported next time
        const int count =
            ::epoll_wait(epoll_.fd(), batch.data(), batch.size(), timeout_ms);
        if (count < 0 && errno == EINTR)
            return false;
        if (count < 0)
            throw std::system_error(errno, std::generic_category(), "epoll_wait");
        const auto found = std::span(batch).first(static_cast<std::size_t>(count));
        for (const epoll_event& event : found) {
            const int fd = event.data.fd;
            const Events events = from_epoll(event.events) & registration(fd).events;
            if (events != Events::none)
                ready.push_back({fd, events, registration(fd).data});
        }
        return true;
    }
    // [/wait]

    Socket epoll_; // not a socket, but a descriptor that is owned like one
};

} // namespace

std::unique_ptr<Selector> make_epoll_selector() {
    return std::make_unique<EpollSelector>();
}

} // namespace common

#endif // __linux__
