// The oldest way to ask: `select`, from 4.2BSD (1983). Two sets go in, with a bit for
// each descriptor, and the same sets come back with only the ready ones left.
//
// What it costs: a set has room for only FD_SETSIZE descriptors (1,024 on Linux), both
// are copied on every call, and every bit up to the highest is looked at twice, once by
// the kernel and once by us. See man 2 select.
#include "common/system/selector_backends.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/select.h>

namespace common {
namespace {

class SelectSelector final : public Selector {
  public:
    SelectSelector() {
        FD_ZERO(&readers_);
        FD_ZERO(&writers_);
    }

    std::string_view name() const override { return "select"; }
    bool can_watch(int fd) const override { return fd < FD_SETSIZE; }

  private:
    void add(int fd, Events events) override {
        // FD_SET with a larger number writes past the end of the set.
        if (!can_watch(fd))
            throw SelectorFull(
                fmt::format("select can watch descriptors below {} only, and this is {}: "
                            "use another selector, or fewer at once",
                            FD_SETSIZE, fd));
        change(fd, events);
        highest_ = std::max(highest_, fd);
    }

    void change(int fd, Events events) override {
        remove(fd);
        if ((events & Events::read) != Events::none)
            FD_SET(fd, &readers_);
        if ((events & Events::write) != Events::none)
            FD_SET(fd, &writers_);
    }

    bool remove(int fd) override {
        FD_CLR(fd, &readers_);
        FD_CLR(fd, &writers_);
        return true;
    }

    // [wait]
    bool wait(int timeout_ms, std::vector<Ready>& ready) override {
        fd_set readable = readers_; // copies: select overwrites what it is given
        fd_set writable = writers_;
        timeval timeout{timeout_ms / 1000, timeout_ms % 1000 * 1000};
        int count = ::select(highest_ + 1, &readable, &writable, nullptr,
                             timeout_ms < 0 ? nullptr : &timeout);
        if (count < 0 && errno == EINTR)
            return false;
        if (count < 0)
            throw std::system_error(errno, std::generic_category(), "select");
        for (int fd = 0; fd <= highest_ && count > 0; ++fd) {
            Events events = Events::none;
            if (FD_ISSET(fd, &readable)) {
                events = events | Events::read;
                --count; // select counts bits, not descriptors
            }
            if (FD_ISSET(fd, &writable)) {
                events = events | Events::write;
                --count;
            }
            if (events != Events::none)
                ready.push_back({fd, events, registration(fd).data});
        }
        return true;
    }
    // [/wait]

    fd_set readers_{};
    fd_set writers_{};
    int highest_ = -1; // the highest descriptor ever watched
};

} // namespace

std::unique_ptr<Selector> make_select_selector() {
    return std::make_unique<SelectSelector>();
}

} // namespace common
