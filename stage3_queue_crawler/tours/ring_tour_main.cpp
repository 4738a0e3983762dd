// ring_tour: who owns a buffer while the kernel fills it, and how to end that early.
//
//     ring_tour 1    a frame that is destroyed too early
//     ring_tour 2    asking for an end
//     ring_tour 3    a time limit, linked to what it limits
//
// Exits with 77 where io_uring can't be used. Page 31 of the book.
#include <array>
#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <liburing.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void say(const std::string& line) { std::printf("%s\n", line.c_str()); }

/// Thrown if this system has no io_uring for us.
struct NoRing : std::system_error {
    using std::system_error::system_error;
};

struct Ring {
    Ring() {
        const int error = io_uring_queue_init(8, &ring, 0);
        if (error < 0)
            throw NoRing(-error, std::generic_category(), "io_uring_setup");
    }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() { io_uring_queue_exit(&ring); }

    io_uring ring{};
};

/// Two sockets that are connected with each other.
struct Sockets {
    Sockets() {
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) < 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
    }
    Sockets(const Sockets&) = delete;
    Sockets& operator=(const Sockets&) = delete;
    ~Sockets() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    int near() const { return ends[0]; }
    void send(std::string_view bytes) const {
        if (::send(ends[1], bytes.data(), bytes.size(), 0) < 0)
            throw std::system_error(errno, std::generic_category(), "send");
    }

    std::array<int, 2> ends{};
};

using Buffer = std::array<char, 16>;

/// A request, not submitted yet, to receive. `name` is what its completion will be
/// called.
io_uring_sqe& request_receive(io_uring& ring, int fd, Buffer& buffer, const char* name) {
    io_uring_sqe* const request = io_uring_get_sqe(&ring);
    io_uring_prep_recv(request, fd, buffer.data(), buffer.size(), 0);
    io_uring_sqe_set_data(request, const_cast<char*>(name));
    return *request;
}

/// Waits for this many completions, and prints them.
void print_completions(io_uring& ring, int number) {
    for (int i = 0; i < number; ++i) {
        io_uring_cqe* completion = nullptr;
        int error = -EINTR; // as after Ctrl-Z and fg
        while (error == -EINTR)
            error = io_uring_wait_cqe(&ring, &completion);
        if (error < 0)
            throw std::system_error(-error, std::generic_category(), "io_uring_enter");
        const int result = completion->res;
        say(std::string("  complete: ")
            + static_cast<const char*>(io_uring_cqe_get_data(completion)) + ": "
            + (result < 0 ? std::strerror(-result) : std::to_string(result)));
        io_uring_cqe_seen(&ring, completion);
    }
}

// ---- 1. A frame that is destroyed too early ----

/// A coroutine that begins at once. All of them get the same memory for their frames, one
/// after the other. Elsewhere, that's a matter of luck.
class Job {
  public:
    struct promise_type {
        static void* operator new(std::size_t size) {
            static std::array<std::max_align_t, 64> memory;
            return size <= sizeof(memory) ? memory.data() : throw std::bad_alloc();
        }
        static void operator delete(void* /*frame*/) {}

        Job get_return_object() {
            return Job(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        void return_void() const {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };

    Job(Job&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Job& operator=(Job&&) = delete;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job() { destroy(); }

    void resume() const { frame_.resume(); }
    void destroy() {
        if (frame_)
            std::exchange(frame_, nullptr).destroy();
    }

  private:
    explicit Job(std::coroutine_handle<> frame) : frame_(frame) {}

    std::coroutine_handle<> frame_;
};

// Not inlined, because clang would then put both frames on the stack.
[[gnu::noinline]] Job keep(const char* note, io_uring* ring, int fd);

// [too-early]
/// Keeps a note in its frame. With a ring, the kernel is to replace it.
Job keep(const char* note, io_uring* ring, int fd) {
    Buffer buffer{};
    std::strncpy(buffer.data(), note, buffer.size() - 1);
    if (ring != nullptr) {
        request_receive(*ring, fd, buffer, "receive");
        io_uring_submit(ring);
    }
    co_await std::suspend_always{};
    say(std::string("  my note says: ") + buffer.data());
}

void destroy_too_early(io_uring& ring) {
    const Sockets sockets;
    Job first = keep("nothing yet", &ring, sockets.near());
    first.destroy();
    const Job second = keep("buy milk", nullptr, -1); // in the memory of the first frame
    sockets.send("buy beer");
    print_completions(ring, 1);
    second.resume();
}
// [/too-early]

// ---- 2. Asking for an end ----

void ask_for_an_end(io_uring& ring, bool too_late) {
    const Sockets sockets;
    Buffer buffer{};
    request_receive(ring, sockets.near(), buffer, "receive");
    io_uring_submit(&ring);
    if (too_late)
        sockets.send("hello");
    char name[] = "request to end it";
    io_uring_sqe* const request = io_uring_get_sqe(&ring);
    io_uring_prep_cancel(request, const_cast<char*>("receive"), 0);
    io_uring_sqe_set_data(request, name);
    io_uring_submit(&ring);
    print_completions(ring, 2);
}

// ---- 3. A time limit ----

void receive_within(io_uring& ring, bool in_time) {
    const Sockets sockets;
    Buffer buffer{};
    // [limit]
    io_uring_sqe& receive = request_receive(ring, sockets.near(), buffer, "receive");
    io_uring_sqe_set_flags(&receive, IOSQE_IO_LINK); // the next request is about this one
    __kernel_timespec tenth_of_a_second{.tv_sec = 0, .tv_nsec = 100'000'000};
    io_uring_sqe* const limit = io_uring_get_sqe(&ring);
    io_uring_prep_link_timeout(limit, &tenth_of_a_second, 0);
    // [/limit]
    char name[] = "time limit";
    io_uring_sqe_set_data(limit, name);
    io_uring_submit(&ring);
    if (in_time)
        sockets.send("hello");
    print_completions(ring, 2);
}

void run(std::string_view which) {
    Ring ring;
    if (which == "1") {
        destroy_too_early(ring.ring);
    } else if (which == "2") {
        say("-- while it waits");
        ask_for_an_end(ring.ring, false);
        say("-- too late");
        ask_for_an_end(ring.ring, true);
    } else if (which == "3") {
        say("-- nothing arrives");
        receive_within(ring.ring, false);
        say("-- something arrives");
        receive_within(ring.ring, true);
    } else {
        throw std::invalid_argument("usage: ring_tour 1, 2 or 3");
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        run(argc == 2 ? argv[1] : "");
        return 0;
    } catch (const NoRing& error) {
        std::fprintf(stderr, "ring_tour: io_uring can't be used here: %s\n",
                     error.what());
        return 77;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ring_tour: %s\n", error.what());
        return 1;
    }
}
