#include "tests/practice_site/server.h"

#include "common/selector.h"
#include "common/socket.h"
#include "tests/practice_site/connection.h"
#include "tests/support/listener.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <queue>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace practice_site {
namespace {

using Clock = std::chrono::steady_clock;
using common::Events;
using State = Connection::State;

// Whom an event or a timer is for. A number is never given out twice, so an event that
// comes late, for a connection that is gone, finds nobody. With descriptors it would find
// the next connection: the kernel reuses theirs at once.
using Id = std::uint64_t;
constexpr Id stop_id = 0;
constexpr Id listener_id = 1;
constexpr Id first_connection_id = 2;

struct Timer {
    Clock::time_point due;
    Id id = 0;
    friend bool operator>(const Timer& a, const Timer& b) { return a.due > b.due; }
};

struct Client {
    Connection connection;
    Events watched = Events::none; // what the selector knows
    bool unanswered = false;       // counted among the requests
};

} // namespace

class PracticeServer::Loop {
  public:
    Loop(Handler handler, const ServerOptions& options);

    void run();
    void stop() noexcept;
    const std::string& origin() const { return origin_; }
    Statistics statistics() const;
    void reset_statistics();

  private:
    void dispatch(const common::Ready& ready);
    std::optional<common::Selector::Milliseconds> time_to_next_timer() const;
    void fire_timers();
    void fire(const Timer& timer);

    void accept_connections();
    bool add_client(common::Socket socket);
    void pause_accepting();
    void resume_accepting();

    void advance(Id id, Client& client);
    void begin_request(Id id, Client& client);
    void begin_answer(Connection& connection);
    void update_watch(Id id, Client& client);
    void remove_client(Id id, Client& client);

    Handler handler_;
    std::chrono::milliseconds latency_;
    std::unique_ptr<common::Selector> selector_;
    common::Socket listener_;
    common::Socket stop_sender_;   // a byte in here ...
    common::Socket stop_receiver_; // ... wakes the loop, and ends it
    std::string origin_;

    bool stopping_ = false;
    bool accepting_ = false;
    std::unordered_map<Id, Client> clients_;
    Id next_id_ = first_connection_id;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;

    /// Changes the statistics, which other threads may read. All else belongs to one.
    template <typename Change>
    void count(Change change) {
        const std::lock_guard lock(mutex_);
        change(statistics_);
    }
    mutable std::mutex mutex_;
    Statistics statistics_;
};

PracticeServer::Loop::Loop(Handler handler, const ServerOptions& options)
    : handler_(std::move(handler)), latency_(options.latency),
      selector_(common::make_selector(options.selector)),
      listener_(tests::listen_on_loopback(options.port)),
      origin_(fmt::format("http://127.0.0.1:{}", tests::local_port(listener_))) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) < 0)
        throw std::system_error(errno, std::generic_category(), "socketpair");
    stop_sender_ = common::Socket(ends[0]);
    stop_receiver_ = common::Socket(ends[1]);
    for (const int fd : ends)
        if (const auto error = common::make_nonblocking(fd))
            throw std::system_error(error, "fcntl");
    selector_->register_fd(stop_receiver_.fd(), Events::read, stop_id);
    resume_accepting();
}

void PracticeServer::Loop::run() {
    while (!stopping_) {
        for (const common::Ready& ready : selector_->select(time_to_next_timer()))
            dispatch(ready);
        fire_timers();
        count([](Statistics& so_far) { ++so_far.turns; });
    }
}

void PracticeServer::Loop::stop() noexcept {
    std::error_code ignored; // no room for a byte: then there is one already
    stop_sender_.send("x", ignored);
}

void PracticeServer::Loop::dispatch(const common::Ready& ready) {
    if (ready.data == stop_id) {
        stopping_ = true;
    } else if (ready.data == listener_id) {
        accept_connections();
    } else if (const auto found = clients_.find(ready.data); found != clients_.end()) {
        Client& client = found->second;
        if (client.connection.state() != State::sending)
            client.connection.receive();
        advance(ready.data, client);
    }
}

// Timers.

std::optional<common::Selector::Milliseconds>
PracticeServer::Loop::time_to_next_timer() const {
    if (timers_.empty())
        return std::nullopt;
    const auto left = timers_.top().due - Clock::now();
    return std::max(std::chrono::ceil<common::Selector::Milliseconds>(left),
                    common::Selector::Milliseconds(0));
}

void PracticeServer::Loop::fire_timers() {
    const auto now = Clock::now();
    while (!timers_.empty() && timers_.top().due <= now) {
        const Timer timer = timers_.top();
        timers_.pop();
        fire(timer);
    }
}

void PracticeServer::Loop::fire(const Timer& timer) {
    if (timer.id == listener_id) {
        resume_accepting();
    } else if (const auto found = clients_.find(timer.id); found != clients_.end()) {
        Client& client = found->second;
        if (client.connection.state() == State::waiting) {
            begin_answer(client.connection);
            advance(timer.id, client);
        } else { // closing: the client has had time enough to hang up
            remove_client(timer.id, client);
        }
    }
}

// New connections.

void PracticeServer::Loop::accept_connections() {
    for (;;) {
        std::error_code error;
        common::Socket socket = tests::accept_connection(listener_, error);
        if (error == std::errc::operation_would_block)
            return;
        if (error && !tests::no_descriptor_left(error))
            throw std::system_error(error, "accept");
        if (error || !add_client(std::move(socket))) {
            pause_accepting();
            return;
        }
    }
}

bool PracticeServer::Loop::add_client(common::Socket socket) {
    const Id id = next_id_;
    try {
        selector_->register_fd(socket.fd(), Events::read, id);
    } catch (const common::SelectorFull&) {
        return false; // it is hung up on: this selector has no place for it
    }
    ++next_id_;
    // An answer is not to wait until the client has confirmed the one before.
    const int on = 1;
    ::setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients_.emplace(id, Client{Connection(std::move(socket)), Events::read});
    count([](Statistics& so_far) {
        ++so_far.connections;
        so_far.most_connections = std::max(so_far.most_connections, so_far.connections);
    });
    return true;
}

// With no descriptor left, the listener would be ready in every turn, for nothing. It is
// asked again when a connection closes, or after a while: the descriptors may have been
// somebody else's.
void PracticeServer::Loop::pause_accepting() {
    selector_->unregister_fd(listener_.fd());
    accepting_ = false;
    timers_.push({Clock::now() + std::chrono::seconds(1), listener_id});
}

void PracticeServer::Loop::resume_accepting() {
    if (!accepting_)
        selector_->register_fd(listener_.fd(), Events::read, listener_id);
    accepting_ = true;
}

// The clients.

/// Goes on with a client until there is something to wait for.
void PracticeServer::Loop::advance(Id id, Client& client) {
    Connection& connection = client.connection;
    for (;;) {
        if (connection.state() == State::reading && connection.take_request()) {
            begin_request(id, client);
        } else if (connection.state() == State::sending && connection.send_answer()) {
            client.unanswered = false;
            count([](Statistics& so_far) {
                --so_far.requests;
                ++so_far.requests_served;
            });
            if (connection.state() == State::closing)
                timers_.push({Clock::now() + std::chrono::seconds(1), id});
        } else {
            break;
        }
    }
    if (connection.state() == State::over)
        remove_client(id, client);
    else
        update_watch(id, client);
}

void PracticeServer::Loop::begin_request(Id id, Client& client) {
    client.unanswered = true;
    count([](Statistics& so_far) {
        ++so_far.requests;
        so_far.most_requests = std::max(so_far.most_requests, so_far.requests);
    });
    if (latency_.count() == 0)
        begin_answer(client.connection);
    else
        timers_.push({Clock::now() + latency_, id});
}

void PracticeServer::Loop::begin_answer(Connection& connection) {
    const ReceivedRequest& request = connection.request();
    Answer answer;
    if (request.failure != 0) {
        answer = plain_answer(request.failure);
    } else {
        try {
            answer = handler_({request.target, origin_});
        } catch (const std::exception& problem) {
            answer = plain_answer(500);
            answer.body += fmt::format("<p>{}</p>\n", escape_html(problem.what()));
        }
    }
    connection.begin_answer(answer);
}

void PracticeServer::Loop::update_watch(Id id, Client& client) {
    const Events wanted = client.connection.wanted();
    const int fd = client.connection.fd();
    if (wanted == client.watched)
        return;
    if (wanted == Events::none) // not "watched for nothing": errors would wake us still
        selector_->unregister_fd(fd);
    else if (client.watched == Events::none)
        selector_->register_fd(fd, wanted, id);
    else
        selector_->modify_fd(fd, wanted, id);
    client.watched = wanted;
}

void PracticeServer::Loop::remove_client(Id id, Client& client) {
    if (client.watched != Events::none)
        selector_->unregister_fd(client.connection.fd());
    const bool unanswered = client.unanswered;
    count([unanswered](Statistics& so_far) {
        --so_far.connections;
        so_far.requests -= unanswered ? 1 : 0;
    });
    clients_.erase(id);
    resume_accepting();
}

Statistics PracticeServer::Loop::statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
}

void PracticeServer::Loop::reset_statistics() {
    count([](Statistics& so_far) {
        so_far.requests_served = 0;
        so_far.turns = 0;
        so_far.most_connections = so_far.connections;
        so_far.most_requests = so_far.requests;
    });
}

PracticeServer::PracticeServer(Handler handler, const ServerOptions& options)
    : loop_(std::make_unique<Loop>(std::move(handler), options)) {}
PracticeServer::~PracticeServer() = default;
const std::string& PracticeServer::origin() const { return loop_->origin(); }
void PracticeServer::run() { loop_->run(); }
void PracticeServer::stop() noexcept { loop_->stop(); }
Statistics PracticeServer::statistics() const { return loop_->statistics(); }
void PracticeServer::reset_statistics() { loop_->reset_statistics(); }

} // namespace practice_site
