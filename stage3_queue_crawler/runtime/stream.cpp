#include "stage3_queue_crawler/runtime/stream.h"

#include "stage3_queue_crawler/runtime/at_exit.h"
#include "stage3_queue_crawler/runtime/event_loop.h"
#include "stage3_queue_crawler/runtime/wait.h"

#include <algorithm>
#include <array>
#include <utility>

#include <sys/socket.h>

namespace stage3 {
Coroutine<common::Socket> connect(common::Address address) {
    std::error_code error;
    common::Socket socket = common::Socket::open_tcp(address.family(), error);
    if (!error)
        error = socket.connect(address);
    if (error == std::errc::operation_in_progress) {
        co_await writable(socket.fd());
        error = socket.error();
    }
    if (error)
        throw std::system_error(error, "connect");
    co_return std::move(socket);
}

Stream::Stream(EventLoop& loop, common::Socket socket, StreamLimits limits)
    : loop_(loop), socket_(std::move(socket)), limits_(limits) {}

// NOLINTNEXTLINE(bugprone-exception-escape): if somebody has closed our descriptor
Stream::~Stream() { close(); }

// ---- Reading ----

// [read-until]
Coroutine<std::string> Stream::read_until(std::string end, std::size_t most) {
    most = std::min(most, limits_.read_ahead);
    std::size_t searched = 0; // of what is unread: `end` doesn't begin there
    for (;;) {
        const std::string_view text = std::string_view(in_).substr(in_begin_);
        const std::size_t place = text.find(end, searched);
        const std::size_t needed =
            place == std::string_view::npos ? text.size() : place + end.size();
        if (needed > most || (place == std::string_view::npos && needed == most))
            throw LimitExceeded("what should end has not, and is too long");
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
    for (;;) {
        result += take(std::min(count - result.size(), unread()));
        if (result.size() == count)
            co_return result;
        const bool more = co_await wait_for_more();
        if (!more)
            throw EndOfStream(result.size());
    }
}

Coroutine<std::string> Stream::read_some(std::size_t most) {
    if (unread() == 0)
        co_await wait_for_more();
    co_return take(std::min(most, unread()));
}

std::string Stream::take(std::size_t count) {
    std::string result = in_.substr(in_begin_, count);
    in_begin_ += count;
    if (in_begin_ == in_.size()) {
        std::string().swap(in_); // an idle connection keeps no memory
        in_begin_ = 0;
    }
    watch(); // there is room again
    return result;
}

/// Until there is more to read than now. False if there never will be.
Coroutine<bool> Stream::wait_for_more() {
    if (reader_)
        throw std::logic_error("two tasks read from one stream");
    const std::size_t before = unread();
    if (!reading_) // if so, the loop will tell
        receive();
    while (unread() == before) {
        if (read_error_)
            throw std::system_error(read_error_, "the connection");
        if (finished_)
            co_return false;
        reader_.emplace(loop_);
        const Future<> more = *reader_;
        watch();
        const AtExit forget([this] { reader_.reset(); });
        co_await more;
    }
    co_return true;
}

/// Takes from the socket what has come, and what there is room for.
void Stream::receive() {
    std::array<char, std::size_t{16} * 1024>
        buffer; // NOLINT(*-member-init): receive does
    while (!finished_ && !read_error_ && unread() < limits_.read_ahead) {
        std::error_code error;
        const std::size_t room = std::min(buffer.size(), limits_.read_ahead - unread());
        const std::size_t count = socket_.receive(std::span(buffer).first(room), error);
        if (error == std::errc::operation_would_block)
            break;
        if (count == 0 && !error && write_error_)
            error = write_error_; // it's no orderly end then
        if (error) {
            fail_reading(error);
            return;
        }
        if (count == 0)
            finished_ = true;
        if (in_begin_ > 0)
            in_.erase(0, std::exchange(in_begin_, 0));
        in_.append(buffer.data(), count);
        if (count < room)
            break; // most likely there is no more
    }
    watch();
    wake(reader_);
}

// ---- Writing ----

void Stream::write(std::string_view bytes) {
    if (write_error_ || finishing_writing_)
        return;
    const bool was_empty = unsent() == 0;
    if (out_begin_ > 0)
        out_.erase(0, std::exchange(out_begin_, 0));
    out_ += bytes;
    if (was_empty) // or it's the loop that says when there is room
        send();
}

void Stream::send() {
    std::error_code error;
    while (unsent() > 0 && !error)
        out_begin_ += socket_.send(std::string_view(out_).substr(out_begin_), error);
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
        wake(writer_);
}

Coroutine<> Stream::drain() { return wait_until_unsent_is(limits_.unsent); }

Coroutine<> Stream::flush() { return wait_until_unsent_is(0); }

// [drain]
Coroutine<> Stream::wait_until_unsent_is(std::size_t at_most) {
    if (writer_)
        throw std::logic_error("two tasks wait until one stream has sent");
    for (;;) {
        if (write_error_)
            throw std::system_error(write_error_, "the connection");
        if (unsent() <= at_most)
            co_return;
        enough_ = at_most;
        writer_.emplace(loop_);
        const Future<> less = *writer_;
        const AtExit forget([this] { writer_.reset(); });
        co_await less;
    }
}
// [/drain]

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
    wake(writer_);
}

void Stream::fail_reading(std::error_code error) {
    read_error_ = error;
    watch();
    wake(reader_);
    if (!write_error_) // what can't be read can't be written, either
        fail_writing(error);
}

void Stream::wake(std::optional<Future<>>& waiter) {
    if (waiter)
        waiter->set_result_unless_done();
}

// ---- The loop ----

/// Listens to the socket for what is wanted now, and for nothing else: the loop would
/// call again and again for bytes that nobody takes.
void Stream::watch() {
    if (closed())
        return;
    const bool to_read = !finished_ && !read_error_ && (reader_ || reading_)
                         && unread() < limits_.read_ahead;
    const bool to_write = unsent() > 0;
    if (to_read != std::exchange(reading_, to_read)) {
        if (to_read)
            loop_.add_reader(socket_.fd(), [this] { receive(); });
        else
            loop_.remove_reader(socket_.fd());
    }
    if (to_write != std::exchange(writing_, to_write)) {
        if (to_write)
            loop_.add_writer(socket_.fd(), [this] { send(); });
        else
            loop_.remove_writer(socket_.fd());
    }
}

} // namespace stage3
