// A connection as a coroutine wants it: `co_await stream.read_until("\r\n")`.
//
// A socket hands out whatever has come, and takes whatever it has room for. What a
// protocol wants is a line, or a hundred bytes; and to send an answer without asking how
// much of it fits. Between the two are buffers, and buffers need limits: a client that
// sends without end, or never reads what it has asked for, must not fill our memory.
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

/// The other side has finished before all was there that one waits for.
struct EndOfStream : std::runtime_error {
    explicit EndOfStream(std::size_t n)
        : std::runtime_error("the connection was closed in the middle"), received(n) {}
    std::size_t received; ///< bytes that had come
};

/// More than a limit allows.
struct LimitExceeded : std::length_error {
    using std::length_error::length_error;
};

struct StreamLimits {
    /// So much is read ahead, in bytes. Then nothing more is taken from the socket, and
    /// in the end the other side can't send any more. Also the most that `read_until` can
    /// return.
    std::size_t read_ahead = std::size_t{64} * 1024;
    /// `drain` waits as long as more than this is unsent, in bytes.
    std::size_t unsent = std::size_t{64} * 1024;
};

/// A connection to that address. Throws std::system_error: nobody listens there, say, or
/// there is no descriptor left.
Coroutine<common::Socket> connect(common::Address address);

/// In one loop; it must be destroyed before the loop. Anybody may write; but only one
/// task at a time may read, and one may wait in `drain` or `flush`.
///
/// It sees to it that nobody has the loop for himself: a task that could go on reading or
/// writing without ever waiting, since the other side is so quick, gives all others their
/// turn now and then.
class Stream {
  public:
    /// Throws common::SelectorFull if the loop can't watch such a socket.
    Stream(EventLoop& loop, common::Socket socket, StreamLimits limits = {});
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    /// Closes it.
    ~Stream();

    // ---- Reading. What has come but isn't part of the result stays for the next one.
    // Each throws std::system_error if the connection is broken, but not before all that
    // has come is read: a server that refuses a request often breaks the connection while
    // we still write, and why it does is the last thing that it has sent. ----

    /// All up to the first `end`, with it. Throws EndOfStream if the other side finishes
    /// before, and LimitExceeded if it isn't within the first `most` bytes, which are at
    /// most StreamLimits::read_ahead.
    Coroutine<std::string> read_until(std::string end, std::size_t most);
    Coroutine<std::string> read_until(std::string end) {
        return read_until(std::move(end), limits_.read_ahead);
    }
    /// So many bytes. Throws EndOfStream if the other side finishes before. They may be
    /// more than StreamLimits::read_ahead; only then, what had come is lost if there is
    /// no result: because of an exception, or since the task was asked to end.
    Coroutine<std::string> read_exactly(std::size_t count);
    /// The next byte, which stays for the next one. Throws EndOfStream if the other side
    /// finishes before.
    Coroutine<char> peek();
    /// What has come, at least a byte and at most so many. Empty: the other side has
    /// finished.
    Coroutine<std::string> read_some(std::size_t most);
    /// True if the other side has finished, and all that it has sent was read.
    bool at_end() const { return finished_ && unread() == 0; }

    // ---- Writing. ----

    /// Sends it, now or as soon as there is room. Never waits, and never fails: if the
    /// connection is broken, `drain` says so.
    void write(std::string_view bytes);
    /// Waits until not more than StreamLimits::unsent bytes are left to be sent. Call it
    /// after each `write`, or all that the other side doesn't read piles up here. Throws
    /// std::system_error if the connection is broken.
    Coroutine<> drain();
    /// Waits until the kernel has taken all; which doesn't mean that it has come through.
    /// Throws std::system_error if the connection is broken.
    Coroutine<> flush();
    /// Bytes that are left to be sent.
    std::size_t unsent() const { return out_.size() - out_begin_; }
    /// Nothing more will be written: says so to the other side when all is sent. What is
    /// written after that, nobody gets.
    void finish_writing();

    // ---- The end. ----

    /// Closes it now, whatever is unsent or unread. Who waits for it, or reads or drains
    /// later, gets std::system_error (operation_canceled).
    void close();
    bool closed() const { return !socket_; }

  private:
    std::size_t unread() const { return in_.size() - in_begin_; }
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
    bool reading_ = false;           // watched for
    bool writing_ = false;
    std::error_code read_error_;  // no more will come
    std::error_code write_error_; // no more will be sent
    std::size_t sent_without_a_break_ = 0;

    /// Who waits keeps it, too: the stream may be gone when they go on.
    struct Waiters {
        std::optional<Future<>> reader; // waits for more
        std::optional<Future<>> writer; // waits for less
        bool stream_is_gone = false;

        void check_stream() const;
    };
    std::shared_ptr<Waiters> waiters_ = std::make_shared<Waiters>();
    std::size_t enough_ = 0; // unsent, for the writer
};

} // namespace stage3
