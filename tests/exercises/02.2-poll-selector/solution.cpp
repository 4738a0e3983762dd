// A selector made of poll. Ours is common/system/selector_poll.cpp, which also remembers
// each descriptor's index in the list, so that it never has to search.
#include "exercise.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <poll.h>

namespace {

using common::Events;
using common::Ready;

short to_poll(Events events) {
    short mask = 0;
    if ((events & Events::read) != Events::none)
        mask |= POLLIN;
    if ((events & Events::write) != Events::none)
        mask |= POLLOUT;
    return mask;
}

class PollSelector final : public common::Selector {
  public:
    std::string_view name() const override { return "poll"; }

  private:
    void add(int fd, Events events) override {
        list_.push_back({fd, to_poll(events), 0});
    }

    void change(int fd, Events events) override { find(fd)->events = to_poll(events); }

    // The order of the list means nothing, so instead of closing the gap,
    // `*find(fd) = list_.back(); list_.pop_back();` would do as well.
    bool remove(int fd) override {
        list_.erase(find(fd));
        return true;
    }

    bool wait(int timeout_ms, std::vector<Ready>& ready) override {
        if (::poll(list_.data(), static_cast<nfds_t>(list_.size()), timeout_ms) < 0) {
            if (errno == EINTR)
                return false;
            throw std::system_error(errno, std::generic_category(), "poll");
        }
        // When the time is up, all `revents` are 0, which needs no special case.
        for (const pollfd& entry : list_) {
            // POLLERR, POLLHUP and POLLNVAL come unasked, and perhaps alone. Then neither
            // a read nor a write would wait, so they count as both.
            Events events = Events::none;
            if ((entry.revents & ~POLLOUT) != 0)
                events = events | Events::read;
            if ((entry.revents & ~POLLIN) != 0)
                events = events | Events::write;
            const Registration& known = registration(entry.fd);
            events = events & known.events; // but only what was asked for
            if (events != Events::none)
                ready.push_back({entry.fd, events, known.data});
        }
        return true;
    }

    std::vector<pollfd>::iterator find(int fd) {
        return std::ranges::find(list_, fd, &pollfd::fd);
    }

    std::vector<pollfd> list_;
};

} // namespace

std::unique_ptr<common::Selector> make_your_selector() {
    return std::make_unique<PollSelector>();
}
