#include "tests/practice_site/connection.h"

#include <array>
#include <string_view>
#include <system_error>

#include <sys/socket.h>

namespace practice_site {
namespace {

/// Gives the memory back, which clear() keeps: ten thousand may be waiting.
void release(std::string& text) { std::string().swap(text); }

} // namespace

common::Events Connection::wanted() const {
    if (state_ == State::sending)
        return common::Events::write;
    if (client_finished_ || received_.size() > max_request_bytes)
        return common::Events::none; // no more is needed before the next answer is out
    return common::Events::read; // while waiting, too: to see that the client goes away
}

void Connection::receive() {
    std::array<char, 16 * 1024> chunk;
    std::error_code error;
    const std::size_t count = socket_.receive(chunk, error);
    if (error == std::errc::operation_would_block)
        return;
    if (error) {
        state_ = State::over;
    } else if (count == 0) {
        client_finished_ = true;
        if (state_ != State::waiting)
            state_ = State::over;
    } else if (state_ != State::closing) {
        received_.append(chunk.data(), count);
    }
}

bool Connection::take_request() {
    auto request = take_request_from(received_);
    if (received_.empty())
        release(received_);
    if (request) {
        request_ = std::move(*request);
        state_ = State::waiting;
    } else if (client_finished_) {
        state_ = State::over;
    }
    return request.has_value();
}

void Connection::begin_answer(const Answer& answer) {
    answer_ = to_bytes(answer, request_);
    sent_ = 0;
    state_ = State::sending;
}

bool Connection::send_answer() {
    while (sent_ < answer_.size()) {
        std::error_code error;
        sent_ += socket_.send(std::string_view(answer_).substr(sent_), error);
        if (error) {
            if (error != std::errc::operation_would_block)
                state_ = State::over;
            return false;
        }
    }
    release(answer_);
    if (request_.keep_alive) {
        state_ = State::reading;
    } else if (request_.body_follows && !client_finished_) {
        // To close a socket with unread bytes in it is to reset the connection, and a
        // reset can overtake the answer. So say that we are done, and read until the
        // client is.
        ::shutdown(socket_.fd(), SHUT_WR);
        state_ = State::closing;
    } else {
        state_ = State::over;
    }
    return true;
}

} // namespace practice_site
