#include "tests/support/scripted_server.h"

#include "common/system/descriptors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/socket.h>

namespace tests {
namespace {

/// Reads up to the empty line after a request's headers; nothing if the client closed.
std::optional<std::string> read_head(common::Socket& socket, std::string& buffer) {
    constexpr std::string_view end_of_head = "\r\n\r\n";
    for (;;) {
        const auto end = buffer.find(end_of_head);
        if (end != std::string::npos) {
            std::string head = buffer.substr(0, end);
            buffer.erase(0, end + end_of_head.size());
            return head;
        }
        std::array<char, 4096> chunk{};
        std::error_code error;
        const std::size_t count = socket.receive(chunk, error);
        if (count == 0)
            return std::nullopt;
        buffer.append(chunk.data(), count);
    }
}

/// The second word of "GET /target HTTP/1.0".
std::string target_of(std::string_view head) {
    const auto begin = head.find(' ');
    if (begin == std::string_view::npos)
        return {};
    return std::string(head.substr(begin + 1, head.find(' ', begin + 1) - begin - 1));
}

void reset(common::Socket& socket) {
    // Lingering for no time means: throw away what is not sent, and send RST, not FIN.
    linger none{};
    none.l_onoff = 1;
    none.l_linger = 0;
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

} // namespace

Reply respond(int status, std::string_view content_type, std::string_view body,
              std::string_view headers) {
    return {Send{fmt::format("HTTP/1.1 {} Scripted\r\n"
                             "Content-Type: {}\r\n"
                             "Content-Length: {}\r\n"
                             "{}\r\n{}",
                             status, content_type, body.size(), headers, body)}};
}

Reply html(std::string_view body) {
    return respond(200, "text/html; charset=utf-8", body);
}

Reply redirect_to(std::string_view location, int status) {
    return respond(status, "text/html", "", fmt::format("Location: {}\r\n", location));
}

ScriptedServer::ScriptedServer(int family)
    : family_(family), listener_(listen_on_loopback(0, longest_backlog, family)),
      port_(local_port(listener_)), acceptor_([this] { accept_connections(); }) {}

ScriptedServer::~ScriptedServer() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
        for (Connection& connection : connections_)
            ::shutdown(connection.socket.fd(), SHUT_RDWR); // wakes its thread
    }
    changed_.notify_all();
    ::shutdown(listener_.fd(), SHUT_RDWR); // wakes the acceptor, on Linux at least
    acceptor_.join();
    for (Connection& connection : connections_)
        connection.thread.join();
}

void ScriptedServer::on(const std::string& target, std::vector<Reply> replies) {
    const std::scoped_lock lock(mutex_);
    scripts_[target] = Script{std::move(replies), 0};
}

void ScriptedServer::release() {
    {
        const std::scoped_lock lock(mutex_);
        released_ = true;
    }
    changed_.notify_all();
}

std::string ScriptedServer::url(std::string_view target) const {
    return fmt::format("http://{}:{}{}", family_ == AF_INET6 ? "[::1]" : "127.0.0.1",
                       port_, target);
}

std::vector<Request> ScriptedServer::requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
}

std::size_t ScriptedServer::times_asked(std::string_view target) const {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count(requests_, target, &Request::target));
}

std::size_t ScriptedServer::most_at_once() const {
    const std::scoped_lock lock(mutex_);
    return most_at_once_;
}

std::size_t ScriptedServer::replies() const {
    const std::scoped_lock lock(mutex_);
    return replies_;
}

std::size_t ScriptedServer::connections() const {
    const std::scoped_lock lock(mutex_);
    return connections_.size();
}

void ScriptedServer::accept_connections() {
    for (;;) {
        std::error_code error;
        common::Socket socket = accept_connection(listener_, error);
        if (common::no_descriptor_left(error)) { // a test has taken them all for a while
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            continue;
        }
        const std::scoped_lock lock(mutex_);
        if (stopping_ || !socket)
            return;
        const std::size_t number = connections_.size();
        Connection& connection = connections_.emplace_back();
        connection.socket = std::move(socket);
        connection.thread = std::thread(
            [this, &connection, number] { serve(connection.socket, number); });
    }
}

void ScriptedServer::serve(common::Socket& socket, std::size_t number) {
    std::string buffer;
    while (auto head = read_head(socket, buffer)) {
        Request request{target_of(*head), *head, number};
        const Reply reply = reply_to(request);
        const bool goes_on = answer(socket, reply);
        const std::scoped_lock lock(mutex_);
        if (!goes_on)
            socket.close(); // locked: the destructor may be about to shut it down
        ++replies_;
        if (!goes_on)
            return;
    }
}

/// A request that is being answered.
class ScriptedServer::UnderWay {
  public:
    explicit UnderWay(ScriptedServer& server) : server_(server) {
        const std::scoped_lock lock(server.mutex_);
        server.most_at_once_ = std::max(server.most_at_once_, ++server.at_once_);
        server.changed_.notify_all();
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() { end(); }
    void end() {
        if (std::exchange(ended_, true))
            return;
        const std::scoped_lock lock(server_.mutex_);
        --server_.at_once_;
    }

  private:
    ScriptedServer& server_;
    bool ended_ = false;
};

Reply ScriptedServer::reply_to(const Request& request) {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
    const auto found = scripts_.find(request.target);
    if (found == scripts_.end() || found->second.replies.empty())
        return respond(404, "text/html", "<h1>Not in the script</h1>");
    Script& script = found->second;
    const std::size_t current = std::min(script.next, script.replies.size() - 1);
    ++script.next;
    return script.replies[current];
}

/// Waits, in a reply, until the condition holds or the server stops. Returns false if the
/// patience ran out before.
template <class Condition>
bool ScriptedServer::wait_for(Condition condition, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, made_ + patience,
                               [&] { return stopping_ || condition(); });
}

/// Carries out a reply; returns true if the connection is to stay open for another.
bool ScriptedServer::answer(common::Socket& socket, const Reply& reply) {
    UnderWay request(*this);
    const Step* last = nullptr; // to send something
    for (const Step& step : reply)
        if (std::holds_alternative<Send>(step))
            last = &step;
    for (const Step& step : reply) {
        if (&step == last)
            request.end(); // before, or the client's next one may come before we count
        if (const auto* send = std::get_if<Send>(&step)) {
            std::string_view rest = send->bytes;
            std::error_code error;
            while (!rest.empty() && !error)
                rest.remove_prefix(socket.send(rest, error));
            if (error)
                return false; // the client has had enough
        } else if (const auto* pause = std::get_if<Pause>(&step)) {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, pause->time, [this] { return stopping_; });
        } else if (const auto* meet = std::get_if<Meet>(&step)) {
            wait_for([&] { return most_at_once_ >= meet->requests; }, meet->patience);
        } else if (const auto* await = std::get_if<AwaitRelease>(&step)) {
            if (!wait_for([this] { return released_; }, await->patience))
                return false;
        } else if (std::holds_alternative<Hold>(step)) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_; });
        } else if (std::holds_alternative<Reset>(step)) {
            reset(socket);
        } else {
            return true;
        }
    }
    return false;
}

} // namespace tests
