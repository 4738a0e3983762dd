#include "stage3_queue_crawler/runtime/net/stream.h"

#include "stage3_queue_crawler/runtime/loop/at_exit.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace stage3 {
namespace {

/// A writer whose bytes are always taken at once keeps going for this many, and then lets
/// all other tasks run.
constexpr std::size_t most_without_a_break = std::size_t{256} * 1024;

void wake(const std::optional<Future<>>& waiter) {
    if (waiter)
        waiter->set_result_unless_done();
}

std::system_error broken(std::error_code why) { return {why, "the connection"}; }

} // namespace

Coroutine<common::Socket> connect(common::Address address) {
    std::error_code error;
    common::Socket socket = common::Socket::open(address.family(), error);
    if (!error)
        error = socket.connect(address);
    if (error == std::errc::operation_in_progress) {
        co_await writable(socket.fd());
        error = socket.error();
    }
    if (error)
        throw std::system_error(error, "connect");
    const int on = 1; // what is written goes out at once: see Listener::take
    if (address.family() != AF_UNIX)
        ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    co_return std::move(socket);
}

Stream::Stream(EventLoop& loop, common::Socket socket, StreamLimits limits)
    : loop_(loop), socket_(std::move(socket)), limits_(limits) {
    if (!loop.can_watch(socket_.fd()))
        throw common::SelectorFull("this loop's selector has no place for the socket");
}

// NOLINTNEXTLINE(bugprone-exception-escape): if other code closed our descriptor
Stream::~Stream() {
    close();
    waiters_->stream_is_gone = true;
}

// ---- Reading ----

// [read-until]
Coroutine<std::string> Stream::read_until(std::string end, std::size_t most) {
    most = std::min(most, limits_.read_ahead);
    std::size_t searched = 0; // of the unread bytes: `end` doesn't begin there
    for (;;) {
        const std::string_view text = std::string_view(in_).substr(in_begin_);
        const std::size_t place = text.find(end, searched);
        const std::size_t needed =
            place == std::string_view::npos ? text.size() : place + end.size();
        if (needed > most || (place == std::string_view::npos && needed == most))
            throw LimitExceeded("no end within " + std::to_string(most) + " bytes");
        if (place != std::string_view::npos)
            co_return take(needed);
        searched = text.size() - std::min(text.size(), end.size() - 1);
        const bool more = co_await wait_for_more();
        if (!more)
            throw EndOfStream(unread());
    }
}
// [/read-until]

Coroutine<std::string> Stream::read_exactly(std::size_t count) {
    std::string result;
    while (result.size() + unread() < count) {
        // What fits stays in the buffer until it's complete, so a task that is cancelled
        // here loses nothing.
        if (count > limits_.read_ahead)
            result += take(unread());
        const bool more = co_await wait_for_more();
        if (!more)
            throw EndOfStream(result.size() + unread());
    }
    result += take(count - result.size());
    co_return result;
}

Coroutine<char> Stream::peek() {
    check_only_reader();
    if (unread() == 0) {
        const bool more = co_await wait_for_more();
        if (!more)
            throw EndOfStream(0);
    }
    co_return in_[in_begin_];
}

Coroutine<std::string> Stream::read_some(std::size_t most) {
    if (unread() == 0)
        co_await wait_for_more();
    co_return take(std::min(most, unread()));
}

void Stream::check_only_reader() const {
    if (waiters_->has_reader)
        throw std::logic_error("two tasks read from one stream");
}

std::string Stream::take(std::size_t count) {
    check_only_reader();
    std::string result = in_.substr(in_begin_, count);
    in_begin_ += count;
    if (in_begin_ == in_.size()) {
        std::string().swap(in_); // an idle connection keeps no memory
        in_begin_ = 0;
    }
    watch(); // there is room again
    return result;
}

/// Waits until there is more to read than now. False if there never will be.
Coroutine<bool> Stream::wait_for_more() {
    check_only_reader();
    const auto waiters = waiters_;
    waiters->has_reader = true;
    const AtExit forget([waiters] {
        waiters->has_reader = false;
        waiters->reader.reset();
    });
    const std::size_t before = unread();
    if (!reading_) { // if so, the loop calls `receive`
        receive();
        if (unread() != before)
            co_await give_others_their_turn();
    }
    while (unread() == before) {
        if (read_error_)
            throw broken(read_error_);
        if (finished_)
            co_return false;
        const Future<> more(loop_); // made here, so that a trace tells this place
        waiters->reader = more;
        watch();
        co_await more;
        waiters->check_stream();
    }
    co_return true;
}

/// A peer that sends faster than we read, or reads faster than we write, never makes us
/// wait. Without this, no other task would ever run, and no timer.
Coroutine<> Stream::give_others_their_turn() {
    const auto waiters = waiters_;
    co_await next_turn();
    waiters->check_stream();
}

void Stream::Waiters::check_stream() const {
    if (stream_is_gone)
        throw broken(std::make_error_code(std::errc::operation_canceled));
}

/// Takes what has arrived from the socket, as far as there is room for it.
void Stream::receive() {
    std::array<char, std::size_t{16} * 1024> buffer; // for `receive` to fill
    while (!finished_ && !read_error_ && unread() < limits_.read_ahead) {
        std::error_code error;
        const std::size_t room = std::min(buffer.size(), limits_.read_ahead - unread());
        const std::size_t count = socket_.receive(std::span(buffer).first(room), error);
        if (error == std::errc::operation_would_block)
            break;
        if (count == 0 && !error && write_error_)
            error = write_error_; // then it's not an orderly end
        if (error) {
            fail_reading(error);
            return;
        }
        if (count == 0)
            finished_ = true;
        if (in_begin_ > 0)
            in_.erase(0, std::exchange(in_begin_, 0));
        try {
            in_.append(buffer.data(), count);
        } catch (const std::bad_alloc&) { // they are gone, so there can be no more
            fail_reading(std::make_error_code(std::errc::not_enough_memory));
            return;
        }
        if (count < room)
            break; // most likely there is no more
    }
    watch();
    wake(waiters_->reader);
}

// ---- Writing ----

void Stream::write(std::string_view bytes) {
    if (write_error_ || finishing_writing_)
        return;
    const bool was_empty = unsent() == 0;
    if (out_begin_ > 0)
        out_.erase(0, std::exchange(out_begin_, 0));
    try {
        out_ += bytes;
        if (was_empty) // if not, the loop says when there is room
            send();
    } catch (const std::system_error& error) { // the loop can't watch it
        fail_writing(error.code());
    } catch (const std::bad_alloc&) {
        fail_writing(std::make_error_code(std::errc::not_enough_memory));
    }
}

void Stream::send() {
    std::error_code error;
    while (unsent() > 0 && !error) {
        const std::size_t count =
            socket_.send(std::string_view(out_).substr(out_begin_), error);
        out_begin_ += count;
        sent_without_a_break_ += count;
    }
    if (error && error != std::errc::operation_would_block) {
        fail_writing(error);
        return;
    }
    if (unsent() == 0) {
        std::string().swap(out_);
        out_begin_ = 0;
    }
    finish_if_all_is_sent();
    watch();
    if (unsent() <= enough_)
        wake(waiters_->writer);
}

Coroutine<> Stream::drain() { return wait_until_unsent_is(limits_.unsent); }

Coroutine<> Stream::flush() { return wait_until_unsent_is(0); }

Coroutine<> Stream::wait_until_unsent_is(std::size_t at_most) {
    if (waiters_->has_writer)
        throw std::logic_error("two tasks wait until one stream has sent");
    const auto waiters = waiters_;
    waiters->has_writer = true;
    const AtExit forget([waiters] {
        waiters->has_writer = false;
        waiters->writer.reset();
    });
    if (sent_without_a_break_ > most_without_a_break && unsent() <= at_most) {
        sent_without_a_break_ = 0;
        co_await give_others_their_turn();
    }
    // [drain]
    for (;;) {
        if (write_error_)
            throw broken(write_error_);
        if (unsent() <= at_most)
            co_return;
        enough_ = at_most;
        const Future<> less(loop_);
        waiters->writer = less;
        co_await less;
        waiters->check_stream();
        sent_without_a_break_ = 0;
    }
    // [/drain]
}

void Stream::finish_writing() {
    finishing_writing_ = true;
    finish_if_all_is_sent();
}

void Stream::finish_if_all_is_sent() {
    if (finishing_writing_ && unsent() == 0 && !closed())
        ::shutdown(socket_.fd(), SHUT_WR);
}

// ---- The end ----

void Stream::close() {
    if (closed())
        return;
    if (reading_)
        loop_.remove_reader(socket_.fd());
    if (writing_)
        loop_.remove_writer(socket_.fd());
    reading_ = writing_ = false;
    socket_.close();
    std::string().swap(in_);
    in_begin_ = 0;
    const auto closed = std::make_error_code(std::errc::operation_canceled);
    fail_writing(closed);
    fail_reading(closed);
}

void Stream::fail_writing(std::error_code error) {
    write_error_ = error;
    std::string().swap(out_);
    out_begin_ = 0;
    watch();
    wake(waiters_->writer);
}

void Stream::fail_reading(std::error_code error) {
    read_error_ = error;
    watch();
    wake(waiters_->reader);
    if (!write_error_) // what can't be read can't be written, either
        fail_writing(error);
}

// ---- The loop ----

/// Watches the socket for what is wanted now, and for nothing else: otherwise the loop
/// would call again and again for bytes that nothing takes.
void Stream::watch() {
    if (closed())
        return;
    const bool to_read = !finished_ && !read_error_ && (waiters_->reader || reading_)
                         && unread() < limits_.read_ahead;
    if (to_read != reading_) {
        if (to_read)
            loop_.add_reader(socket_.fd(), [this] { receive(); });
        else
            loop_.remove_reader(socket_.fd());
        reading_ = to_read;
    }
    const bool to_write = unsent() > 0;
    if (to_write != writing_) {
        if (to_write)
            loop_.add_writer(socket_.fd(), [this] { send(); });
        else
            loop_.remove_writer(socket_.fd());
        writing_ = to_write;
    }
}

} // namespace stage3
