// `epoll`, Linux's answer to ten thousand connections: the list of descriptors stays in
// the kernel, which notes each one that becomes ready. A wait then costs only as much as
// there is to report, however many are watched. BSD and macOS have kqueue for this.
//
// What it costs: an extra system call for each change to the list. See man 7 epoll.
#ifdef __linux__

#include "common/system/selector_backends.h"
#include "common/system/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

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
    bool control(int operation, int fd, Events events) {
        epoll_event event{};
        event.events = to_epoll(events);
        event.data.u64 = mark_of(fd); // comes back with each event
        return ::epoll_ctl(epoll_.fd(), operation, fd, &event) == 0;
    }
    // [/control]

    void add(int fd, Events events) override {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= generations_.size())
            generations_.resize(std::max(index + 1, 2 * generations_.size()));
        if (control(EPOLL_CTL_ADD, fd, events))
            return;
        // It exists if this socket had this number before, and was closed too early.
        if (errno != EEXIST || !control(EPOLL_CTL_MOD, fd, events))
            throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    }

    void change(int fd, Events events) override {
        if (control(EPOLL_CTL_MOD, fd, events))
            return;
        if (errno != ENOENT)
            throw std::system_error(errno, std::generic_category(), "epoll_ctl");
        // The socket was closed too early, and another one has its number now.
        note_another_descriptor();
        ++generations_[static_cast<std::size_t>(fd)];
        add(fd, events);
    }

    bool remove(int fd) override {
        const bool was_known = control(EPOLL_CTL_DEL, fd, Events::none);
        ++generations_[static_cast<std::size_t>(fd)];
        return was_known; // closing it removes it, too
    }

    bool wait(int timeout_ms, std::vector<Ready>& ready) override {
        std::array<epoll_event, 256> batch; // what doesn't fit is reported next time
        const int count =
            ::epoll_wait(epoll_.fd(), batch.data(), batch.size(), timeout_ms);
        if (count < 0 && errno == EINTR)
            return false;
        if (count < 0)
            throw std::system_error(errno, std::generic_category(), "epoll_wait");
        const auto found = std::span(batch).first(static_cast<std::size_t>(count));
        for (const epoll_event& event : found)
            if (is_current(event))
                ready.push_back(from_event(event));
        if (ready.size() < found.size())
            start_anew();
        return !ready.empty() || found.empty() || timeout_ms == 0;
    }

    /// The number that marks events: the descriptor, and how many registrations this
    /// number has had before.
    std::uint64_t mark_of(int fd) const {
        const auto index = static_cast<std::size_t>(fd);
        return std::uint64_t{generations_[index]} << 32 | index;
    }

    static int descriptor_of(const epoll_event& event) {
        return static_cast<int>(event.data.u64 & 0xffff'ffff);
    }

    /// False if the event is about a socket that is no longer watched. It was closed
    /// before it was unregistered, but a duplicate of its descriptor is still open. So
    /// epoll goes on reporting it, and no call can remove it: each needs a descriptor
    /// with the old number.
    bool is_current(const epoll_event& event) const {
        const int fd = descriptor_of(event);
        return event.data.u64 == mark_of(fd) && registration(fd).watched;
    }

    Ready from_event(const epoll_event& event) const {
        const int fd = descriptor_of(event);
        const Registration& known = registration(fd);
        return {fd, from_epoll(event.events) & known.events, known.data};
    }

    /// Replaces epoll's list by a new one, without those that are no longer watched. If
    /// no descriptor or no memory is left for it, the old one is kept: it wakes us more
    /// often than it should, and each time we try again.
    void start_anew() noexcept {
        Socket other(::epoll_create1(EPOLL_CLOEXEC));
        if (!other)
            return;
        for (std::size_t index = 0; index < generations_.size(); ++index) {
            const int fd = static_cast<int>(index);
            const Events events = registration(fd).events;
            // One that the old list doesn't know was closed too early, too.
            if (!registration(fd).watched || !control(EPOLL_CTL_MOD, fd, events))
                continue;
            std::swap(epoll_, other);
            const bool added = control(EPOLL_CTL_ADD, fd, events);
            std::swap(epoll_, other);
            if (!added)
                return;
        }
        std::swap(epoll_, other);
    }

    Socket epoll_; // not a socket, but a descriptor that is owned like one
    std::vector<std::uint32_t> generations_; // by descriptor
};

} // namespace

std::unique_ptr<Selector> make_epoll_selector() {
    return std::make_unique<EpollSelector>();
}

} // namespace common

#endif // __linux__
