// One client's connection, as a state machine: what a server keeps of a conversation
// while it attends to others.
//
// In a program with a thread for each connection, this would be the thread's stack: how
// far have I read, what am I sending. Here it is a record, and each call takes it one
// step further without waiting. It knows nothing of the selector; the loop in server.cpp
// asks `wanted` what to wait for.
#pragma once

#include "common/selector.h"
#include "common/socket.h"
#include "tests/practice_site/http.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace practice_site {

class Connection {
  public:
    enum class State : std::uint8_t {
        reading, ///< until a request has come as a whole
        waiting, ///< the request is there, and its answer is not due yet
        sending, ///< the answer
        closing, ///< all is said; until the client hangs up too
        over,    ///< nothing more to do but to let go of it
    };

    explicit Connection(common::Socket socket) : socket_(std::move(socket)) {}

    State state() const { return state_; }
    int fd() const { return socket_.fd(); }

    /// What to wait for before the next step; `none` while only a timer can bring it.
    common::Events wanted() const;

    /// Takes some of what has arrived.
    void receive();

    /// reading → waiting, if a whole request has arrived; else returns false. Requests
    /// that a client sends without waiting for answers queue up in here.
    bool take_request();
    /// The request that was taken last.
    const ReceivedRequest& request() const { return request_; }

    /// waiting → sending.
    void begin_answer(const Answer& answer);

    /// Hands over as much of the answer as there is room for. sending → whatever the
    /// request asks for then, if that was the last of it; else returns false.
    bool send_answer();

  private:
    common::Socket socket_;
    State state_ = State::reading;
    bool client_finished_ = false; // it sends no more, but may still want its answer
    ReceivedRequest request_;
    std::string received_; // and not taken yet
    std::string answer_;   // while sending
    std::size_t sent_ = 0; // bytes of it
};

} // namespace practice_site
