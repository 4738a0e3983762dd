#include "common/simple_crawl/event_loop.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/trace/trace.h"
#include "exercise.h"
#include "tests/support/prelude.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

using common::Events;

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

/// Waits for those descriptors that are open. Like epoll, it reports nothing about one
/// that was closed, but it takes a note.
class Watchman final : public common::Selector {
  public:
    std::string_view name() const override { return "watchman"; }

    /// A descriptor that was closed before it was unregistered; nothing if none was.
    std::optional<int> unregistered_late() const { return unregistered_late_; }

  private:
    void add(int fd, Events /*events*/) override { watched_.push_back(fd); }
    void change(int /*fd*/, Events /*events*/) override {}
    bool remove(int fd) override {
        if (!is_open(fd))
            unregistered_late_ = fd;
        std::erase(watched_, fd);
        return is_open(fd);
    }

    bool wait(int timeout_ms, std::vector<common::Ready>& ready) override {
        if (++waits_ > 1000)
            throw std::runtime_error("1000 turns, and no end: a socket that is ready is "
                                     "neither read nor unregistered");
        std::vector<pollfd> list;
        for (const int fd : watched_)
            if (is_open(fd))
                list.push_back({fd, POLLIN, 0});
        if (::poll(list.data(), static_cast<nfds_t>(list.size()), timeout_ms) < 0)
            return false; // a signal
        for (const pollfd& entry : list)
            if (entry.revents != 0)
                ready.push_back({entry.fd, Events::read, registration(entry.fd).data});
        return true;
    }

    std::vector<int> watched_;
    std::optional<int> unregistered_late_;
    int waits_ = 0;
};

/// What the server does with a connection: it sends a page and closes. An empty page is a
/// connection that breaks before anything came; without one, the server stays silent.
using Answer = std::optional<std::string>;
const Answer breaks = "";
const Answer silence;

/// A loop, a server, and what the downloads have handed to `done`.
class Scene {
  public:
    Scene() {
        auto selector = std::make_unique<Watchman>();
        watchman_ = selector.get();
        loop_ = std::make_unique<common::EventLoop>(std::move(selector), tracer_);
    }

    const Watchman& watchman() const { return *watchman_; }

    /// The page that each download got, in the order in which they ended.
    const std::vector<std::string>& pages() const { return pages_; }

    /// The descriptor of a connection, 0 for the first that was made.
    int number(std::size_t connection) const { return numbers_.at(connection); }

    /// Begins a download, and plays the server for its connections. These get the lowest
    /// free numbers from `lowest` on.
    void begin(const std::vector<Answer>& answers, int lowest) {
        download(
            [this, answers, lowest, next = std::size_t{0}]() mutable {
                REQUIRE_MESSAGE(
                    next < answers.size(),
                    "It made more connections than expected: it should try twice.");
                // Each of them starts from a different number, so that the two don't get
                // the same one.
                const int from = lowest + 10 * static_cast<int>(next);
                return connect(answers[next++], from);
            },
            *loop_, [this](const std::string& page) { pages_.push_back(page); });
    }

    /// Runs the loop until nothing is ready.
    void run() {
        std::string problem;
        try {
            loop_->run(20ms);
        } catch (const std::exception& error) {
            problem = error.what();
        }
        const bool wrong_number = problem.find("is not registered") != std::string::npos;
        REQUIRE_MESSAGE(!wrong_number,
                        "The loop says: "
                            << problem
                            << ". Is that the old connection, or the new one? Unregister "
                               "the old one while you still know its number.");
        REQUIRE_MESSAGE(problem.empty(), "The loop says: " << problem);
    }

  private:
    common::Socket connect(const Answer& answer, int lowest) {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
        const common::Socket spare(ends[0]);
        common::Socket server(ends[1]);
        common::Socket client(::fcntl(spare.fd(), F_DUPFD, lowest));
        REQUIRE(client);
        REQUIRE_FALSE(common::make_nonblocking(client.fd()));
        numbers_.push_back(client.fd());
        std::error_code error;
        if (!answer)
            silent_.push_back(std::move(server));
        else if (!answer->empty())
            server.send(*answer, error);
        return client;
    }

    std::vector<common::Socket> silent_;
    std::vector<int> numbers_;
    std::vector<std::string> pages_;
    common::Tracer tracer_;
    const Watchman* watchman_;
    std::unique_ptr<common::EventLoop> loop_;
};

constexpr int some_number = 40;

} // namespace

TEST_CASE("a page that comes at once is delivered") {
    Scene scene;
    scene.begin({"hello"}, some_number);
    scene.run();
    CHECK(scene.pages() == std::vector<std::string>{"hello"});
    CHECK(scene.watchman().size() == 0);
    CHECK_FALSE(is_open(scene.number(0)));
}

TEST_CASE("a connection that breaks is tried once more") {
    Scene scene;
    scene.begin({breaks, "hello"}, some_number);
    scene.run();
    const bool page_once = scene.pages() == std::vector<std::string>{"hello"};
    CHECK_MESSAGE(page_once, "The first connection broke and the second brought a page, "
                             "but `done` was not called with that page, once.");
    scene.begin({breaks, breaks}, some_number + 50);
    scene.run();
    CHECK(scene.pages() == std::vector<std::string>{"hello", ""});
}

TEST_CASE("the next download may reuse the number of a broken connection") {
    Scene scene;
    scene.begin({breaks, silence}, some_number);
    scene.run();
    const int number = scene.number(0);
    REQUIRE_MESSAGE(!is_open(number), "The connection that broke, number "
                                          << number << ", was not closed.");
    try {
        scene.begin({"hello"}, number);
    } catch (const std::logic_error& error) {
        FAIL(
            "Another download could not begin. The loop says: "
            << std::string(error.what()) << ". " << number
            << " was the number of a connection that broke. Where was it closed, and was "
               "it unregistered before?");
    }
    REQUIRE(scene.number(2) == number);
    scene.run();
    CHECK(scene.pages() == std::vector<std::string>{"hello"});
}

TEST_CASE("the loop does not watch a number that is free") {
    Scene scene;
    scene.begin({breaks, silence}, some_number);
    scene.run();
    CHECK_MESSAGE(scene.watchman().size() == 1,
                  "Two connections were made. The first is closed, and the loop still "
                  "watches its number, "
                      << scene.number(0)
                      << ". Until the next download begins, any socket that gets that "
                         "number gets the wrong callback with it. Mend it where it goes "
                         "wrong.");
}

TEST_CASE("a number is unregistered while it is still ours") {
    Scene scene;
    scene.begin({breaks, "hello"}, some_number);
    scene.run();
    CHECK_MESSAGE(
        !scene.watchman().unregistered_late(),
        "Number "
            << scene.watchman().unregistered_late().value_or(0)
            << " was unregistered after it had been closed. That only works as long "
               "as no other socket has got the number in between. "
               "Unregister first, then close.");
}
