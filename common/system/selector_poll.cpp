// `poll`: a list of descriptors instead of a set of bits, so that it can watch any number
// of them and looks at no others. Every POSIX system has it.
//
// What it costs: the whole list goes to the kernel on every call, and the kernel checks
// each descriptor in it. A thousand idle connections and one busy one cost a thousand
// and one checks per turn. See man 2 poll.
#include "common/system/selector_backends.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include <poll.h>

namespace common {
namespace {

short to_poll(Events events) {
    short mask = 0;
    if ((events & Events::read) != Events::none)
        mask |= POLLIN;
    if ((events & Events::write) != Events::none)
        mask |= POLLOUT;
    return mask;
}

class PollSelector final : public Selector {
  public:
    std::string_view name() const override { return "poll"; }

  private:
    void add(int fd, Events events) override {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= places_.size())
            places_.resize(std::max(index + 1, 2 * places_.size()));
        list_.push_back({fd, to_poll(events), 0});
        places_[index] = list_.size() - 1;
    }

    void change(int fd, Events events) override {
        list_[places_[static_cast<std::size_t>(fd)]].events = to_poll(events);
    }

    bool remove(int fd) override {
        // The last entry moves into the gap, so removing costs the same however many are
        // watched.
        const std::size_t gap = places_[static_cast<std::size_t>(fd)];
        list_[gap] = list_.back();
        places_[static_cast<std::size_t>(list_[gap].fd)] = gap;
        list_.pop_back();
        return true; // the list is ours, so it can't be too late
    }

    bool wait(int timeout_ms, std::vector<Ready>& ready) override {
        int count = ::poll(list_.data(), static_cast<nfds_t>(list_.size()), timeout_ms);
        if (count < 0) {
            if (errno == EINTR)
                return false;
            throw std::system_error(errno, std::generic_category(), "poll");
        }
        for (const pollfd& entry : list_) {
            if (count == 0)
                break;
            if (entry.revents == 0)
                continue;
            --count;
            // Errors and hang-ups are reported even if nothing asked for them. They count
            // as readiness for everything: the next read or write shows what happened.
            Events events = Events::none;
            if ((entry.revents & ~POLLOUT) != 0)
                events = events | Events::read;
            if ((entry.revents & ~POLLIN) != 0)
                events = events | Events::write;
            const Registration& known = registration(entry.fd);
            events = events & known.events;
            if (events != Events::none)
                ready.push_back({entry.fd, events, known.data});
        }
        return true;
    }

    std::vector<pollfd> list_;
    std::vector<std::size_t> places_; // by descriptor: its index in list_
};

} // namespace

std::unique_ptr<Selector> make_poll_selector() {
    return std::make_unique<PollSelector>();
}

} // namespace common
