// The practice site's server: one thread, any number of connections.
//
// It is what the crawlers talk to, and like the last of them it is built on stage 3's
// runtime: the same event loop, from the other side. Each connection has its own task,
// which reads like a program for one client: take a request, wait as long as the latency
// says, answer, and start over. Whenever one task has to wait, the others continue.
//
// A handler decides what to answer (site.h, files.h); http.h knows what the bytes mean.
// Page G of the book.
#pragma once

#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "tests/practice_site/http.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace practice_site {

struct ServerOptions {
    std::uint16_t port = 0; ///< 0: any that is free
    std::chrono::milliseconds latency{
        0};                 ///< how long every answer keeps its client waiting
    std::string selector{}; ///< a name that make_selector knows; empty: the best
    /// How long a client may keep us waiting: for its next request as a whole, and until
    /// there is room for the next 64 KiB of an answer.
    stage3::EventLoop::Duration patience = std::chrono::minutes(1);
};

/// What a server has done so far. A request counts from the moment when it has arrived
/// whole and those before it on its connection are done, until the last byte of the
/// answer is handed to the kernel.
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
    /// no such selector, common::SelectorFull if it has no place for the listener.
    explicit PracticeServer(Handler handler, const ServerOptions& options = {});

    /// "http://127.0.0.1:8080", without a slash at its end.
    const std::string& origin() const { return origin_; }
    /// Where a crawl begins: "http://127.0.0.1:8080/".
    std::string url() const { return origin() + "/"; }

    /// Serves until `stop` is called; then closes all connections and returns. It can be
    /// called once. Calls the handler in this thread. A handler that throws means status
    /// 500.
    void run();

    /// Ends `run`, even if it has not begun. May be called from any thread.
    void stop();

    /// May be called from any thread.
    Statistics statistics() const;
    /// Resets the counts and the peaks; what is open now stays counted.
    void reset_statistics();

  private:
    class Counted;

    stage3::Coroutine<> talk(stage3::Stream& stream);
    stage3::Coroutine<std::optional<ReceivedRequest>>
    next_request(stage3::Stream& stream);
    stage3::Coroutine<> send(stage3::Stream& stream, std::string bytes);
    Answer answer(const ReceivedRequest& request) const;

    const Handler handler_;
    const ServerOptions options_;
    stage3::EventLoop loop_;
    stage3::Listener listener_;
    const std::string origin_;

    mutable std::mutex mutex_; // guards what follows
    Statistics statistics_;
    std::uint64_t turns_before_ = 0; // that no longer count
};

} // namespace practice_site
