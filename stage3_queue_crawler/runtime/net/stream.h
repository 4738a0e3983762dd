// A connection as a coroutine wants it: `co_await stream.read_until("\r\n")`.
//
// A socket hands out whatever has arrived, and takes whatever it has room for. A protocol
// wants a line, or a hundred bytes, and wants to send an answer without asking how much
// of it fits. Between the two are buffers, and buffers need limits: a client that sends
// endlessly, or never reads what it has asked for, must not fill our memory.
// (Tornado calls this IOStream; asyncio has two halves, StreamReader and StreamWriter.)
// Page 28 of the book.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"
#include "stage3_queue_crawler/runtime/task/future.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace stage3 {

/// The other side finished before everything that was waited for had arrived.
struct EndOfStream : std::runtime_error {
    explicit EndOfStream(std::size_t n)
        : std::runtime_error("the connection was closed in the middle"), received(n) {}
    std::size_t received; ///< bytes that had arrived
};

/// More than a limit allows.
struct LimitExceeded : std::length_error {
    using std::length_error::length_error;
};

struct StreamLimits {
    /// How much is read ahead, in bytes. Then nothing more is taken from the socket, and
    /// eventually the other side can't send any more. Also the most that `read_until` can
    /// return.
    std::size_t read_ahead = std::size_t{64} * 1024;
    /// `drain` waits as long as more than this is unsent, in bytes.
    std::size_t unsent = std::size_t{64} * 1024;
};

/// A connection to that address. Throws std::system_error, for example if nothing listens
/// there, or if no descriptor is left.
Coroutine<common::Socket> connect(common::Address address);

/// Belongs to one loop, and must be destroyed before it. Any task may write, but only one
/// at a time may read, and only one may wait in `drain` or `flush`: a second one gets
/// std::logic_error.
///
/// It makes sure that no task keeps the loop to itself: one that could keep reading or
/// writing without ever waiting, because the other side is so quick, lets all others run
/// now and then.
class Stream {
  public:
    /// Throws common::SelectorFull if the loop can't watch such a socket.
    Stream(EventLoop& loop, common::Socket socket, StreamLimits limits = {});
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    /// Closes it.
    ~Stream();

    // ---- Reading. What has arrived but isn't part of the result is left for the next
    // call. Each throws std::system_error if the connection is broken, but not before all
    // that arrived is read: a server that refuses a request often breaks the connection
    // while we are still writing, and the last thing that it sent says why. ----

    /// Everything up to the first `end`, including it. Throws EndOfStream if the other
    /// side finishes first, and LimitExceeded if `end` isn't within the first `most`
    /// bytes, or within StreamLimits::read_ahead if that is less.
    Coroutine<std::string> read_until(std::string end, std::size_t most);
    Coroutine<std::string> read_until(std::string end) {
        return read_until(std::move(end), limits_.read_ahead);
    }
    /// Exactly `count` bytes. Throws EndOfStream if the other side finishes first. May be
    /// more than StreamLimits::read_ahead; only then is what had arrived lost if there is
    /// no result, because of an exception or because the task was asked to end.
    Coroutine<std::string> read_exactly(std::size_t count);
    /// The next byte, which stays for the next call. Throws EndOfStream if the other side
    /// finishes first.
    Coroutine<char> peek();
    /// What has arrived: at least one byte, and at most `most`. Empty: the other side has
    /// finished.
    Coroutine<std::string> read_some(std::size_t most);
    /// True if the other side has finished, and all that it sent has been read.
    bool at_end() const { return finished_ && unread() == 0; }

    // ---- Writing. ----

    /// Sends it, now or as soon as there is room. Never waits, and never fails: if the
    /// connection is broken, `drain` says so.
    void write(std::string_view bytes);
    /// Waits until at most StreamLimits::unsent bytes are left to be sent. Call it after
    /// each `write`, or whatever the other side doesn't read piles up here. Throws
    /// std::system_error if the connection is broken.
    Coroutine<> drain();
    /// Waits until the kernel has taken everything, which doesn't mean it has arrived.
    /// Throws std::system_error if the connection is broken.
    Coroutine<> flush();
    /// Bytes that are left to be sent.
    std::size_t unsent() const { return out_.size() - out_begin_; }
    /// Nothing more will be written: says so to the other side when all is sent. What is
    /// written after this call is dropped.
    void finish_writing();

    // ---- The end. ----

    /// Closes it now, whatever is unsent or unread. A task that waits for it, or reads or
    /// drains later, gets std::system_error (operation_canceled).
    void close();
    bool closed() const { return !socket_; }

  private:
    std::size_t unread() const { return in_.size() - in_begin_; }
    void check_only_reader() const;
    std::string take(std::size_t count);
    Coroutine<bool> wait_for_more();
    Coroutine<> wait_until_unsent_is(std::size_t at_most);
    Coroutine<> give_others_their_turn();
    void receive();
    void send();
    void watch();
    void finish_if_all_is_sent();
    void fail_writing(std::error_code error);
    void fail_reading(std::error_code error);

    EventLoop& loop_;
    common::Socket socket_;
    const StreamLimits limits_;
    std::string in_; // unread from in_begin_ on
    std::size_t in_begin_ = 0;
    std::string out_; // unsent from out_begin_ on
    std::size_t out_begin_ = 0;
    bool finished_ = false;          // the other side has
    bool finishing_writing_ = false; // we have, or will when all is sent
    bool reading_ = false;           // the loop watches
    bool writing_ = false;
    std::error_code read_error_;  // no more will come
    std::error_code write_error_; // no more will be sent
    std::size_t sent_without_a_break_ = 0;

    /// Waiting coroutines keep it, too: the stream may be gone when they are resumed.
    struct Waiters {
        bool has_reader = false;        // in `wait_for_more`
        bool has_writer = false;        // in `wait_until_unsent_is`
        std::optional<Future<>> reader; // resolved when there is more
        std::optional<Future<>> writer; // and when there is less
        bool stream_is_gone = false;

        void check_stream() const;
    };
    std::shared_ptr<Waiters> waiters_ = std::make_shared<Waiters>();
    std::size_t enough_ = 0; // how little unsent the writer waits for
};

} // namespace stage3
