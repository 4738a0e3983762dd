// A loop for tests of code that talks to clients: with real sockets and a virtual clock.
//
// Bytes sent into one end of a socket pair are at the other end at once. So a test can
// let everything happen that needs no time, and then check; its result is always the
// same. The clock stops meanwhile, and jumps when a test lets time pass.
#pragma once

#include "common/system/selector.h"
#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/run.h"
#include "stage3_queue_crawler/runtime/task/wait.h"
#include "tests/support/prelude.h"

#include <sys/socket.h>

namespace tests {

/// The other end of a connection, as the peer uses and sees it.
class Client {
  public:
    explicit Client(common::Socket socket) : socket_(std::move(socket)) {}

    /// Returns how many bytes there was room for.
    std::size_t send(std::string_view bytes) {
        std::error_code error;
        return socket_.send(bytes, error);
    }
    /// What has arrived since the last call.
    std::string receive() {
        std::string all;
        std::array<char, 10'000> buffer{};
        while (!ended_ && !broken_) {
            std::error_code error;
            const std::size_t count = socket_.receive(buffer, error);
            if (error == std::errc::operation_would_block)
                break;
            ended_ = !error && count == 0;
            broken_ = static_cast<bool>(error);
            all.append(buffer.data(), count);
        }
        return all;
    }
    /// What `receive` has seen after the last byte: the end, or that the connection was
    /// reset.
    bool ended() const { return ended_; }
    bool broken() const { return broken_; }

    /// Announces that nothing more will be sent.
    void finish() { ::shutdown(socket_.fd(), SHUT_WR); }
    /// Closes its end, whatever is still unread.
    void close() { socket_.close(); }

  private:
    common::Socket socket_;
    bool ended_ = false;
    bool broken_ = false;
};

/// A loop with a virtual clock, and connections in it. A derived class that has streams
/// closes the loop first of all, since tasks that are left over may use them.
class ClientTest {
  public:
    ClientTest() {
        loop.set_exception_handler([](const stage3::Report&) {}); // the tests check
    }
    ClientTest(const ClientTest&) = delete;
    ClientTest& operator=(const ClientTest&) = delete;
    ~ClientTest() = default;

    /// Lets everything happen that needs no time.
    void settle() { run(Until::nothing_happens); }
    /// Lets time pass, and everything happen that is due in it.
    void after(stage3::EventLoop::Duration time) {
        const stage3::CancelAtExit stop(loop.call_later(time, [this] { loop.stop(); }));
        run(Until::stopped);
        settle();
    }

    /// Two ends of a connection. Neither takes much more than is read.
    static std::pair<common::Socket, common::Socket> connection() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                             ends.data())
                == 0);
        const int bytes = 8 * 1024;
        for (const int end : ends)
            ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
        return {common::Socket(ends[0]), common::Socket(ends[1])};
    }

  private:
    enum class Until : std::uint8_t { nothing_happens, stopped };
    static constexpr int max_waits = 100'000;

    class Selector final : public common::Selector {
      public:
        explicit Selector(ClientTest& test) : test_(test) {}
        std::string_view name() const override { return "virtual"; }

      private:
        void add(int fd, common::Events events) override {
            kernel_->register_fd(fd, events, 0);
        }
        void change(int fd, common::Events events) override {
            kernel_->modify_fd(fd, events, 0);
        }
        bool remove(int fd) override { return kernel_->unregister_fd(fd); }
        bool wait(int timeout_ms, std::vector<common::Ready>& ready) override {
            for (const auto& one : kernel_->select(std::chrono::milliseconds(0)))
                ready.push_back({one.fd, one.events, registration(one.fd).data});
            test_.has_waited(timeout_ms, ready.empty());
            return true;
        }

        ClientTest& test_;
        std::unique_ptr<common::Selector> kernel_ = common::make_selector();
    };

    stage3::LoopOptions options() {
        stage3::LoopOptions options;
        options.selector = std::make_unique<Selector>(*this);
        options.clock = [this] { return now_; };
        return options;
    }

    void run(Until until) {
        until_ = until;
        waits_ = 0;
        loop.run_forever();
        REQUIRE_MESSAGE(waits_ < max_waits,
                        "there was nothing to do, and you kept the loop busy all the "
                        "time.");
    }

    void has_waited(int timeout_ms, bool nothing) {
        if (++waits_ >= max_waits)
            loop.stop();
        if (!nothing || timeout_ms == 0)
            return;
        if (until_ == Until::nothing_happens || timeout_ms < 0)
            loop.stop();
        else
            now_ += std::chrono::milliseconds(timeout_ms);
    }

    stage3::EventLoop::TimePoint now_{std::chrono::hours(1)};
    Until until_ = Until::nothing_happens;
    int waits_ = 0;

  public:
    stage3::EventLoop loop{options()};
};

/// The exception of a task, in words; empty if there is none, or the task is not done.
inline std::string escaped(const stage3::Task<>& task) {
    if (!task.done() || task.cancelled())
        return {};
    try {
        task.result();
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "something that is no std::exception";
    }
    return {};
}

} // namespace tests
