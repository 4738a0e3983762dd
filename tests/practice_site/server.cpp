#include "tests/practice_site/server.h"

#include "common/system/selector.h"
#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

namespace practice_site {
namespace {

using namespace std::chrono_literals;
using stage3::Coroutine;
using stage3::Stream;
using stage3::wait_for;

/// The longest head of a request, including the empty line at its end.
constexpr std::size_t longest_head = max_request_bytes + 4;
/// An answer is sent in pieces of this many bytes.
constexpr std::size_t piece = std::size_t{64} * 1024;

stage3::Listener listen(std::uint16_t port) {
    try {
        return stage3::Listener(common::resolve("127.0.0.1", port).front());
    } catch (const std::system_error& error) {
        throw std::system_error(
            error.code(),
            fmt::format("cannot listen on port {} of 127.0.0.1 (is something "
                        "else, such as another ./learn site, there?)",
                        port));
    }
}

// [read-request]
/// Empty lines before a request are forgiven.
Coroutine<ReceivedRequest> read_request(Stream& stream) {
    for (;;) {
        const char first = co_await stream.peek();
        if (!may_begin_request(first))
            co_return refused(400);
        const std::string head = co_await stream.read_until("\r\n\r\n", longest_head);
        if (auto request = parse_request(head))
            co_return *std::move(request);
    }
}
// [/read-request]

// [goodbye]
Coroutine<> read_to_the_end(Stream& stream) {
    while (!stream.at_end())
        co_await stream.read_some(piece);
}

/// Closing a socket with unread bytes in it resets the connection: what the kernel has
/// not sent yet is thrown away, and what it has sent may be overtaken. So say that we are
/// done, and read until the client is done as well, but not forever.
Coroutine<> say_goodbye(Stream& stream) {
    stream.finish_writing();
    co_await wait_for(read_to_the_end(stream), 1s);
}
// [/goodbye]

} // namespace

/// One more of something, as long as it lives.
class PracticeServer::Counted {
  public:
    using Number = std::size_t Statistics::*;

    Counted(PracticeServer& server, Number now, Number most)
        : server_(server), now_(now) {
        const std::lock_guard lock(server.mutex_);
        Statistics& so_far = server.statistics_;
        so_far.*most = std::max(so_far.*most, ++(so_far.*now));
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
        const std::lock_guard lock(server_.mutex_);
        --(server_.statistics_.*now_);
        server_.statistics_.requests_served += done_ ? 1 : 0;
    }
    void done() { done_ = true; }

  private:
    PracticeServer& server_;
    const Number now_;
    bool done_ = false;
};

PracticeServer::PracticeServer(Handler handler, const ServerOptions& options)
    : handler_(std::move(handler)), options_(options),
      loop_({.selector = common::make_selector(options.selector)}),
      listener_(listen(options.port)),
      origin_(fmt::format("http://127.0.0.1:{}", listener_.port())) {
    if (!loop_.can_watch(listener_.fd()))
        throw common::SelectorFull("this selector has no place for another socket");
}

void PracticeServer::run() {
    try {
        stage3::run_until_complete(
            loop_, stage3::serve(std::move(listener_),
                                 [this](Stream& stream) { return talk(stream); },
                                 {.read_ahead = longest_head}));
    } catch (const stage3::LoopStopped&) {
        stage3::cancel_all_tasks(loop_);
    }
}

void PracticeServer::stop() {
    loop_.call_soon_threadsafe([this] { loop_.stop(); });
}

// [talk]
/// One client's connection, from its first request to its last.
Coroutine<> PracticeServer::talk(Stream& stream) {
    const Counted connection(*this, &Statistics::connections,
                             &Statistics::most_connections);
    try {
        for (bool more = true; more;) {
            const auto request = co_await next_request(stream);
            if (!request)
                co_return;
            more = request->keep_alive;
            Counted answering(*this, &Statistics::requests, &Statistics::most_requests);
            if (options_.latency > 0ms)
                co_await stage3::sleep(options_.latency);
            std::string bytes = to_bytes(answer(*request), *request);
            co_await send(stream, std::move(bytes));
            answering.done();
        }
        co_await say_goodbye(stream);
    } catch (const stage3::Timeout&) {
        stream.close(); // it takes too long to send, or to receive
    } catch (const std::system_error&) {
        stream.close(); // the connection is broken: there is no one to tell
    }
}
// [/talk]

// [next-request]
/// The client's next request; nothing if it has finished.
Coroutine<std::optional<ReceivedRequest>> PracticeServer::next_request(Stream& stream) {
    std::size_t left = 0; // of a request that has no end
    try {
        co_return co_await wait_for(read_request(stream), options_.patience);
    } catch (const stage3::LimitExceeded&) {
        co_return refused(431);
    } catch (const stage3::EndOfStream& end) {
        left = end.received;
    }
    const std::string rest = co_await stream.read_some(left);
    if (rest.find_first_not_of("\r\n") == std::string::npos)
        co_return std::nullopt;
    co_return refused(400);
}
// [/next-request]

// [send]
/// Piece by piece, to distinguish a client that takes them slowly from one that no longer
/// takes anything. This is approximate: Linux reports room again when a good part of its
/// own buffer is free, and that may be a megabyte.
Coroutine<> PracticeServer::send(Stream& stream, std::string bytes) {
    for (std::size_t sent = 0; sent < bytes.size(); sent += piece) {
        stream.write(std::string_view(bytes).substr(sent, piece));
        if (stream.unsent() > 0)
            co_await wait_for(stream.flush(), options_.patience);
        co_await stream.flush(); // throws if the connection is broken
    }
}
// [/send]

Answer PracticeServer::answer(const ReceivedRequest& request) const {
    if (request.failure != 0)
        return plain_answer(request.failure);
    try {
        return handler_({request.target, origin_});
    } catch (const std::exception& problem) {
        Answer answer = plain_answer(500);
        answer.body += fmt::format("<p>{}</p>\n", escape_html(problem.what()));
        return answer;
    } catch (...) {
        return plain_answer(500);
    }
}

Statistics PracticeServer::statistics() const {
    const std::lock_guard lock(mutex_);
    Statistics so_far = statistics_;
    so_far.turns = loop_.turns() - turns_before_;
    return so_far;
}

void PracticeServer::reset_statistics() {
    const std::lock_guard lock(mutex_);
    statistics_.requests_served = 0;
    statistics_.most_connections = statistics_.connections;
    statistics_.most_requests = statistics_.requests;
    turns_before_ = loop_.turns();
}

} // namespace practice_site
