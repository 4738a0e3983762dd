// A web in a box: what its servers answer, and what they were asked. There are no sockets
// and no bytes of HTTP, only requests, replies and virtual time.
#pragma once

#include "tests/support/box/virtual_time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tests::box {

/// How a server fails. All but the first send the request's reader an error.
enum class Fault : std::uint8_t {
    none,
    no_descriptor, ///< the client has no room for another socket, and fails at once
    unreachable,   ///< no connection, so that the request wasn't sent
    reset,         ///< the connection breaks instead of an answer
    garbage,       ///< what comes isn't HTTP
    silence,       ///< no answer ever comes
    cut,           ///< the connection breaks in the middle of the body
    stuck,         ///< half of the body comes, and then nothing
};

/// One answer of a server.
struct Reply {
    int status = 200;
    std::vector<std::string> headers = {}; ///< "Name: value"
    std::string body = {};
    Time until_head = std::chrono::milliseconds(5); ///< or until the fault
    Time until_body = {};   ///< from the head to the body's end, or to where it's cut
    std::size_t pieces = 1; ///< in how many the body comes, at equal distances
    bool has_length = true; ///< says how long the body is (Content-Length)
    Fault fault = Fault::none;

    /// The same, with another latency.
    Reply after(Time time) const {
        Reply later = *this;
        later.until_head = time;
        return later;
    }
    /// The same, but the body ends so long after the head.
    Reply over(Time time) const {
        Reply slow = *this;
        slow.until_body = time;
        return slow;
    }
};

/// A request, as the servers saw it, and what became of it.
struct Request {
    Time begin{};
    std::optional<Time> answered = {}; ///< when the head was there; none: it never was
    std::optional<Time> end = {}; ///< when the last byte was there, or it broke, or the
                                  ///< client gave up; none: it's under way
    std::string host = {};        ///< with a port, if it has one: "a.test", "a.test:8080"
    std::string url = {};
    bool is_head = false;     ///< a HEAD; else a GET
    bool is_given_up = false; ///< it ended because the client wanted no more of it
    std::vector<std::string> headers = {}; ///< those of GetOptions::more_headers
    Reply reply = {};
};

/// All servers of a box. It must outlive the Http that asks them.
class Web {
  public:
    Web() = default;
    Web(const Web&) = delete;
    Web& operator=(const Web&) = delete;
    virtual ~Web() = default;

    /// What the server of this request says to it. Called once for each, in their order.
    virtual Reply answer(const Request& request) = 0;

    VirtualTime& time() { return time_; }
    const VirtualTime& time() const { return time_; }
    /// All requests so far, in the order in which they began.
    const std::deque<Request>& requests() const { return requests_; }
    /// How many of them are under way.
    std::size_t in_flight() const;

    /// A request begins, and gets its reply. (For Http; the reference stays valid.)
    Request& begin(Request request) {
        request.reply = answer(request);
        requests_.push_back(std::move(request));
        return requests_.back();
    }

  private:
    VirtualTime time_;
    std::deque<Request> requests_;
};

inline std::size_t Web::in_flight() const {
    std::size_t count = 0;
    for (const Request& request : requests_)
        count += request.end ? 0 : 1;
    return count;
}

} // namespace tests::box
