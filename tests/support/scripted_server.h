// A web server that does as it is told, even when that is wrong.
//
// A test lists what is to happen when a path is requested: bytes, pauses, a reset,
// silence. The server runs in its own threads and stops when it goes out of scope. It
// also records the requests, so that a test can say what a client must *not* have done.
// With a thread for each connection and blocking calls, it is a server for a handful of
// clients, as plain as possible, so that the tests need no tests.
#pragma once

#include "common/system/socket.h"
#include "tests/support/listener.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include <sys/socket.h>

namespace tests {

/// Sends these bytes.
struct Send {
    std::string bytes;
};
/// Waits before the next step.
struct Pause {
    std::chrono::milliseconds time;
};
/// Waits until this many requests have been under way at once, the server's most so far.
/// If that doesn't happen within `patience` from when the server was made, the next step
/// comes anyway. A pause after it lets a client go wrong that sends one too many.
struct Meet {
    std::size_t requests;
    std::chrono::milliseconds patience = std::chrono::seconds(20);
};
/// Waits until the test calls `release`. If it doesn't within `patience` from when the
/// server was made, the reply ends here.
struct AwaitRelease {
    std::chrono::milliseconds patience = std::chrono::seconds(20);
};
/// Sends nothing more, and keeps the connection open until the server is destroyed.
struct Hold {};
/// Breaks the connection (TCP's RST) instead of closing it.
struct Reset {};
/// Keeps the connection open after this reply and waits for another request on it.
struct KeepOpen {};

/// What the server does for one request, step by step; it then closes the connection.
using Step = std::variant<Send, Pause, Meet, AwaitRelease, Hold, Reset, KeepOpen>;
using Reply = std::vector<Step>;

/// A whole response with the right Content-Length. `headers` are further header lines,
/// each with its CRLF.
Reply respond(int status, std::string_view content_type, std::string_view body,
              std::string_view headers = "");
/// 200, a page of HTML.
Reply html(std::string_view body);
/// A redirect to `location`, which is sent as it is.
Reply redirect_to(std::string_view location, int status = 302);

/// A request as it arrived.
struct Request {
    std::string target;
    std::string head;           ///< request line and headers
    std::size_t connection = 0; ///< 0 for the first that was accepted
};

class ScriptedServer {
  public:
    /// Listens on a free port of 127.0.0.1, or of ::1 with AF_INET6.
    explicit ScriptedServer(int family = AF_INET);
    ~ScriptedServer();
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    /// Requests for `target` get these replies in turn, the last one again and again.
    /// Any other request gets 404.
    void on(const std::string& target, std::vector<Reply> replies);
    void on(const std::string& target, Reply reply) {
        on(target, std::vector<Reply>{std::move(reply)});
    }

    /// Lets all replies go on that wait for it (`AwaitRelease`), now or later.
    void release();

    /// The absolute URL of a target.
    std::string url(std::string_view target = "/") const;
    std::uint16_t port() const { return port_; }

    /// The requests so far, in the order in which they arrived.
    std::vector<Request> requests() const;
    /// How often a target was requested.
    std::size_t times_asked(std::string_view target) const;
    /// The most requests that were being answered at the same moment.
    std::size_t most_at_once() const;
    /// How many replies were carried out to the end, which may be a closed connection.
    std::size_t replies() const;
    /// How many connections were accepted.
    std::size_t connections() const;

  private:
    class UnderWay;
    struct Connection {
        common::Socket socket;
        std::thread thread;
    };
    struct Script {
        std::vector<Reply> replies;
        std::size_t next = 0;
    };

    void accept_connections();
    void serve(common::Socket& socket, std::size_t number);
    template <class Condition>
    bool wait_for(Condition condition, std::chrono::milliseconds patience);
    bool answer(common::Socket& socket, const Reply& reply);
    Reply reply_to(const Request& request);

    const int family_;
    common::Socket listener_;
    const std::uint16_t port_;
    const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();

    mutable std::mutex mutex_; // guards what follows
    std::condition_variable changed_;
    bool stopping_ = false;
    bool released_ = false;
    std::map<std::string, Script> scripts_;
    std::vector<Request> requests_;
    std::size_t at_once_ = 0;
    std::size_t most_at_once_ = 0;
    std::size_t replies_ = 0;
    std::list<Connection> connections_;

    std::thread acceptor_; // last: it uses all of the above
};

} // namespace tests
