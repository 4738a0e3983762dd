// The practice site's server: one thread, any number of connections, no waiting but in
// the selector.
//
// It is what the crawler talks to, and it is built like the crawler: an event loop. Each
// connection is a small record (connection.h); when the selector says that its socket is
// ready, or a timer that its delay is over, it takes one step. So ten thousand requests
// can wait here at once, for a few hundred bytes each.
//
// What to answer is a handler's business (site.h, files.h); how, is done here:
// keep-alive, pipelining, partial sends, clients that go away.
#pragma once

#include "tests/practice_site/http.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace practice_site {

struct ServerOptions {
    std::uint16_t port = 0; ///< 0: any that is free
    std::chrono::milliseconds latency{
        0};                 ///< how long every answer keeps its client waiting
    std::string selector{}; ///< "epoll", "poll", "select"; empty: the best
};

/// What a server has done so far. "At once" counts requests from the moment they have
/// come as a whole until the last byte of the answer is handed to the kernel.
struct Statistics {
    std::uint64_t requests_served = 0;
    std::size_t connections = 0; ///< open now
    std::size_t most_connections = 0;
    std::size_t requests = 0; ///< waiting or being answered now
    std::size_t most_requests = 0;
    std::uint64_t turns =
        0; ///< of the event loop: many more than requests means it spins
};

class PracticeServer {
  public:
    /// Listens at once, on 127.0.0.1: connections queue up until `run` is called.
    /// Throws std::system_error if the port is taken, std::invalid_argument if there is
    /// no such selector.
    explicit PracticeServer(Handler handler, const ServerOptions& options = {});
    ~PracticeServer();
    PracticeServer(const PracticeServer&) = delete;
    PracticeServer& operator=(const PracticeServer&) = delete;

    /// "http://127.0.0.1:8080", without a slash at its end.
    const std::string& origin() const;
    /// Where a crawl begins: "http://127.0.0.1:8080/".
    std::string url() const { return origin() + "/"; }

    /// Serves until `stop` is called, then returns; connections end with the server
    /// object. Calls the handler in this thread. A handler that throws means status 500.
    void run();

    /// Ends `run`, also one that has not begun. From any thread, or a signal handler.
    void stop() noexcept;

    /// From any thread.
    Statistics statistics() const;
    /// Begins the counts and the peaks anew; what is open now stays counted.
    void reset_statistics();

  private:
    class Loop; // all the rest, in server.cpp
    std::unique_ptr<Loop> loop_;
};

} // namespace practice_site
