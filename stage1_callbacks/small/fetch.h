// The smallest fetch with callbacks: three steps, each of which arranges the next.
//
// Stage 1 itself uses stage1_callbacks/fetcher.h; page 03 of the book explains what that
// one adds.
#pragma once

#include "common/small/event_loop.h"
#include "common/small/sockets.h"
#include "common/system/socket.h"
#include "common/web/url.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace small {

// [fetch]
class Fetch : public std::enable_shared_from_this<Fetch> {
  public:
    using Done = std::function<void(const std::string& response)>;

    Fetch(EventLoop& loop, common::Url url, Done done)
        : loop_(loop), url_(std::move(url)), done_(std::move(done)) {}

    // [steps]
    void start() {
        socket_ = begin_to_connect(url_);
        call_when(common::Events::write, &Fetch::connected);
    }

    void connected() {
        send_request(socket_, url_);
        call_when(common::Events::read, &Fetch::readable);
    }

    void readable() {
        const auto chunk = receive(socket_);
        if (chunk)
            response_ += *chunk;
        if (chunk && chunk->empty()) // the server has closed: that's all
            done_(response_);
        else
            call_when(common::Events::read, &Fetch::readable);
    }
    // [/steps]

  private:
    void call_when(common::Events events, void (Fetch::*step)()) {
        auto callback = [self = shared_from_this(), step] { (self.get()->*step)(); };
        loop_.when_ready(socket_.fd(), events, std::move(callback));
    }

    EventLoop& loop_;
    common::Url url_;
    Done done_;
    common::Socket socket_;
    std::string response_;
};
// [/fetch]

} // namespace small
