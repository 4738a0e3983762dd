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

#include <fcntl.h>
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
        FD_CLR(fd, &readers_);
        FD_CLR(fd, &writers_);
        if ((events & Events::read) != Events::none)
            FD_SET(fd, &readers_);
        if ((events & Events::write) != Events::none)
            FD_SET(fd, &writers_);
    }

    bool remove(int fd) override {
        FD_CLR(fd, &readers_);
        FD_CLR(fd, &writers_);
        return true; // the sets are ours, so it can't be too late
    }

    // [wait]
    bool wait(int timeout_ms, std::vector<Ready>& ready) override {
        fd_set readable = readers_; // copies: select overwrites what it is given
        fd_set writable = writers_;
        timeval timeout{timeout_ms / 1000, timeout_ms % 1000 * 1000};
        int count = ::select(highest_ + 1, &readable, &writable, nullptr,
                             timeout_ms < 0 ? nullptr : &timeout);
        if (count < 0 && errno == EBADF)
            count = select_without_closed(readable, writable, ready);
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

    /// A closed descriptor in a set makes `select` fail with EBADF, without saying which
    /// one it is. As with poll, it counts as ready for everything it is watched for, and
    /// the others are asked without waiting. Returns what `select` returns then.
    int select_without_closed(fd_set& readable, fd_set& writable,
                              std::vector<Ready>& ready) {
        int count = 0;
        do { // again, if another thread closes one meanwhile
            ready.clear();
            readable = readers_;
            writable = writers_;
            for (int fd = 0; fd <= highest_; ++fd) {
                if ((FD_ISSET(fd, &readable) || FD_ISSET(fd, &writable))
                    && ::fcntl(fd, F_GETFD) < 0) {
                    ready.push_back({fd, registration(fd).events, registration(fd).data});
                    FD_CLR(fd, &readable);
                    FD_CLR(fd, &writable);
                }
            }
            timeval now{};
            count = ::select(highest_ + 1, &readable, &writable, nullptr, &now);
        } while (count < 0 && errno == EBADF);
        return count;
    }

    fd_set readers_{};
    fd_set writers_{};
    int highest_ = -1; // the highest descriptor ever watched
};

} // namespace

std::unique_ptr<Selector> make_select_selector() {
    return std::make_unique<SelectSelector>();
}

} // namespace common
