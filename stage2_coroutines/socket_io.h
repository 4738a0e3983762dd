// Sockets, for coroutines: connect, send and read as functions that you call and await.
//
// Each of them does what stage 1's callbacks do: it asks the loop to watch the socket,
// and pauses. But to its caller it looks like the blocking function of page 01. Page 18a
// of the book.
//
// All of them throw std::system_error if the network fails. The loop and the socket must
// outlive the coroutine, as they do if you await it at once.
#pragma once

#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "stage2_coroutines/future.h"

#include <cstddef>
#include <functional>
#include <source_location>
#include <string>
#include <system_error>

namespace stage2 {

/// Watches a descriptor as long as it lives. When a coroutine is destroyed while it
/// waits, so are its local variables, and this one takes the callback out of the loop,
/// which would otherwise call into a frame that is gone.
class Watch {
  public:
    /// See EventLoop::register_fd. `loop` must outlive the watch.
    Watch(common::EventLoop& loop, int fd, common::Events events, const char* name,
          common::EventLoop::Callback callback,
          std::source_location at = std::source_location::current())
        : loop_(loop), fd_(fd) {
        loop.register_fd(fd, events, name, std::move(callback), at);
    }
    ~Watch() { loop_.unregister_fd(fd_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

  private:
    common::EventLoop& loop_;
    int fd_;
};

/// What has arrived, up to 64 KiB, and `error` as Socket::receive sets it. It isn't a
/// coroutine, so its buffer is on the stack, and gone before anything waits.
std::string receive(common::Socket& socket, std::error_code& error);

/// The connection broke. If `code` is 0, the peer has closed it without a word.
struct ConnectionBroke : std::system_error {
    ConnectionBroke(std::error_code code, std::size_t bytes)
        : std::system_error(code), received(bytes) {}

    std::size_t received; ///< bytes that had come before
};

// What the references refer to must outlive the coroutines: see above.

/// Connects a new socket to an address.
Coroutine<> connect(common::EventLoop& loop, common::Socket& socket,
                    common::Address address);

/// Sends all of `bytes`. Throws ConnectionBroke.
Coroutine<> send_all(common::EventLoop& loop, common::Socket& socket, std::string bytes);

/// What comes next, up to 64 KiB; an empty string once the peer has finished.
Coroutine<std::string> read(common::EventLoop& loop, common::Socket& socket);

/// Given all that has come so far: is that enough? An exception from it ends the reading.
using Enough = std::function<bool(const std::string& so_far)>;

/// Everything that comes until the peer has finished or it is `enough`. Throws
/// ConnectionBroke.
Coroutine<std::string> read_all(common::EventLoop& loop, common::Socket& socket,
                                Enough enough);

} // namespace stage2
