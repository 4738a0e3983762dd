// Writing to a pipe or a socket that another program writes to, as well.
#include "common/system/socket.h"
#include "stage3_queue_crawler/program/write.h"
#include "tests/support/faults.h"
#include "tests/support/prelude.h"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using stage3::WriteEnd;

namespace {

enum class Kind : std::uint8_t { pipe, socket };

/// Where this program and another one write. Both descriptors block, as a shell's do.
class Shared {
  public:
    explicit Shared(Kind kind) : kind_(kind) {
        std::signal(SIGPIPE, SIG_IGN); // as in the program
        std::array<int, 2> ends{};
        REQUIRE((kind == Kind::pipe ? ::pipe(ends.data())
                                    : ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()))
                == 0);
        reader_ = common::Socket(ends[0]);
        writer_ = common::Socket(ends[1]);
    }

    int fd() const { return writer_.fd(); }
    /// What another program does: it writes until there is no room.
    void fill() const {
        const std::string text(4096, 'x');
        pollfd room{fd(), POLLOUT, 0};
        if (kind_ == Kind::pipe)
            while (::poll(&room, 1, 0) == 1)
                REQUIRE(::write(fd(), text.data(), text.size()) > 0);
        else
            while (::send(fd(), text.data(), text.size(), MSG_DONTWAIT) > 0) {
            }
    }
    void read_all() const {
        std::array<char, 4096> bytes{};
        pollfd some{reader_.fd(), POLLIN, 0};
        while (::poll(&some, 1, 0) == 1 && ::read(reader_.fd(), bytes.data(), 4096) > 0) {
        }
    }
    void leave() { reader_.close(); }

  private:
    Kind kind_;
    common::Socket reader_;
    common::Socket writer_;
};

/// Does `use`. If that waits for a reader, it gets one after a while, so that the test
/// fails, but ends. Returns whether it did.
bool waits(const Shared& shared, const auto& use) {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    bool has_waited = false;
    std::thread rescuer([&] {
        std::unique_lock lock(mutex);
        while (!changed.wait_for(lock, 10s, [&] { return is_done; })) {
            has_waited = true;
            shared.read_all();
        }
    });
    use();
    {
        const std::lock_guard lock(mutex);
        is_done = true;
    }
    changed.notify_one();
    rescuer.join();
    return has_waited;
}

} // namespace

TEST_CASE("a write doesn't wait, even if another program takes the room that poll has "
          "found") {
    for (const Kind kind : {Kind::pipe, Kind::socket}) {
        CAPTURE(static_cast<int>(kind));
        if (kind == Kind::pipe && ::access("/proc/self/fd", F_OK) != 0)
            continue; // on this system, a pipe can't be opened again
        const Shared shared(kind);
        const WriteEnd end(shared.fd());
        REQUIRE(end.has_reader());
        tests::Fault fault;
        fault.after_poll = [&] { shared.fill(); };
        std::size_t count = 1;
        CHECK_FALSE(waits(shared, [&] { count = write_ready(end, "a line\n"); }));
        CHECK(count == 0);
        shared.read_all();
        CHECK(write_ready(end, "a line\n") == 7);

        fault.after_poll = [&] { shared.fill(); };
        CHECK_FALSE(waits(shared, [&] { write_patiently(end, "a line\n", 10ms); }));
        shared.read_all();

        // A write to the descriptor itself still waits.
        CHECK((::fcntl(shared.fd(), F_GETFL) & O_NONBLOCK) == 0);
    }
}

TEST_CASE("a reader who has left before is noticed by the first write") {
    for (const Kind kind : {Kind::pipe, Kind::socket}) {
        CAPTURE(static_cast<int>(kind));
        Shared shared(kind);
        shared.leave();
        const WriteEnd end(shared.fd());
        std::error_code error;
        try {
            write_ready(end, "a line\n");
        } catch (const std::system_error& thrown) {
            error = thrown.code();
        }
        CHECK(error == std::errc::broken_pipe);
    }
}

TEST_CASE("what isn't read by anyone never lacks room") {
    const common::Socket null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    CHECK_FALSE(WriteEnd(null.fd()).has_reader());
}
