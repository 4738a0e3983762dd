// What io_uring's ways to receive cost, for page 31: nanoseconds for each message.
//
// A hundred sockets get one byte each, again and again; what is measured is how long it
// takes to send and receive these hundred bytes. (Sending is the same for all, and must
// be included: the kernel may use the sender's time to complete a receive.)
#include "tests/bench/bench.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <liburing.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr unsigned many = 100;
constexpr int rounds = 1000;
constexpr std::size_t size = 4096;

void check(bool is_well, const char* what) {
    if (!is_well)
        throw std::runtime_error(std::string(what) + " failed");
}

/// Many pairs of sockets.
struct Sockets {
    explicit Sockets(unsigned number = many) : near(number), far(number) {
        for (unsigned i = 0; i < number; ++i) {
            std::array<int, 2> ends{};
            check(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "socketpair");
            near[i] = ends[0];
            far[i] = ends[1];
        }
    }
    Sockets(const Sockets&) = delete;
    Sockets& operator=(const Sockets&) = delete;
    ~Sockets() {
        for (unsigned i = 0; i < near.size(); ++i) {
            ::close(near[i]);
            ::close(far[i]);
        }
    }
    void send() const {
        for (const int one : far)
            check(::send(one, "x", 1, 0) == 1, "send");
    }
    std::vector<int> near;
    std::vector<int> far;
};

struct Ring {
    Ring() { check(io_uring_queue_init(2 * many, &ring, 0) == 0, "io_uring_setup"); }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() { io_uring_queue_exit(&ring); }

    /// Takes this many completions, waiting for them.
    template <class Each>
    void take(unsigned number, Each each) {
        for (unsigned taken = 0; taken < number; ++taken) {
            io_uring_cqe* completion = nullptr;
            check(io_uring_wait_cqe(&ring, &completion) == 0, "io_uring_enter");
            check(completion->res == 1, "receive");
            each(*completion);
            io_uring_cqe_seen(&ring, completion);
        }
    }

    io_uring ring{};
};

/// Buffers that the kernel chooses from, in the moment when bytes are there.
class Pool {
  public:
    static constexpr unsigned buffers = 256; // a power of two

    explicit Pool(io_uring& ring) : memory_(buffers * size) {
        void* const place =
            ::mmap(nullptr, buffers * sizeof(io_uring_buf), PROT_READ | PROT_WRITE,
                   MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
        check(place != MAP_FAILED, "mmap");
        queue_ = static_cast<io_uring_buf_ring*>(place);
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uint64_t>(place);
        registration.ring_entries = buffers;
        check(io_uring_register_buf_ring(&ring, &registration, 0) == 0,
              "io_uring_register_buf_ring");
        io_uring_buf_ring_init(queue_);
        for (unsigned short i = 0; i < buffers; ++i)
            give_back(i);
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() { ::munmap(queue_, buffers * sizeof(io_uring_buf)); }

    void give_back(unsigned short number) {
        io_uring_buf_ring_add(queue_, memory_.data() + number * size, size, number,
                              io_uring_buf_ring_mask(buffers), 0);
        io_uring_buf_ring_advance(queue_, 1);
    }
    void give_back_that_of(const io_uring_cqe& completion) {
        give_back(
            static_cast<unsigned short>(completion.flags >> IORING_CQE_BUFFER_SHIFT));
    }

  private:
    std::vector<char> memory_;
    io_uring_buf_ring* queue_ = nullptr;
};

/// Prints the time for one byte that `exchange` sends and receives.
template <class Exchange>
void print(const char* name, Exchange exchange) {
    bench::print(name, rounds * static_cast<int>(many), [&] {
        for (int round = 0; round < rounds; ++round)
            exchange();
    });
}

void receive_without_a_ring() {
    const Sockets sockets;
    std::array<char, size> buffer{};
    print("recv", [&] {
        sockets.send();
        for (const int one : sockets.near)
            check(::recv(one, buffer.data(), size, 0) == 1, "recv");
    });
}

/// Bytes are there, and each system call asks for those of `batch` sockets.
void receive_in_batches(const char* name, unsigned batch) {
    const Sockets sockets;
    Ring ring;
    std::vector<std::array<char, size>> buffers(many);
    print(name, [&] {
        sockets.send();
        for (unsigned i = 0; i < many; ++i) {
            io_uring_sqe* const request = io_uring_get_sqe(&ring.ring);
            io_uring_prep_recv(request, sockets.near[i], buffers[i].data(), size, 0);
            if ((i + 1) % batch != 0)
                continue;
            check(io_uring_submit_and_wait(&ring.ring, batch) >= 0, "io_uring_enter");
            ring.take(batch, [](const io_uring_cqe&) {});
        }
    });
}

/// From here on, receives wait before the bytes are sent.
void wait_with_a_buffer_each() {
    const Sockets sockets;
    Ring ring;
    std::vector<std::array<char, size>> buffers(many);
    print("waiting, a buffer each", [&] {
        for (unsigned i = 0; i < many; ++i)
            io_uring_prep_recv(io_uring_get_sqe(&ring.ring), sockets.near[i],
                               buffers[i].data(), size, 0);
        check(io_uring_submit(&ring.ring) == many, "io_uring_enter");
        sockets.send();
        ring.take(many, [](const io_uring_cqe&) {});
    });
}

void wait_with_a_pool() {
    const Sockets sockets;
    Ring ring;
    Pool pool(ring.ring);
    print("waiting, a pool", [&] {
        for (const int one : sockets.near) {
            io_uring_sqe* const request = io_uring_get_sqe(&ring.ring);
            io_uring_prep_recv(request, one, nullptr, size, 0);
            io_uring_sqe_set_flags(request, IOSQE_BUFFER_SELECT);
        }
        check(io_uring_submit(&ring.ring) == many, "io_uring_enter");
        sockets.send();
        ring.take(many, [&](const io_uring_cqe& one) { pool.give_back_that_of(one); });
    });
}

void wait_with_one_request() {
    const Sockets sockets;
    Ring ring;
    Pool pool(ring.ring);
    for (const int one : sockets.near) {
        io_uring_sqe* const request = io_uring_get_sqe(&ring.ring);
        io_uring_prep_recv_multishot(request, one, nullptr, 0, 0);
        io_uring_sqe_set_flags(request, IOSQE_BUFFER_SELECT);
    }
    check(io_uring_submit(&ring.ring) == many, "io_uring_enter");
    print("waiting, a pool, multishot", [&] {
        sockets.send();
        ring.take(many, [&](const io_uring_cqe& one) {
            check((one.flags & IORING_CQE_F_MORE) != 0, "multishot");
            pool.give_back_that_of(one);
        });
    });
}

} // namespace

int main() {
    try {
        receive_without_a_ring();
        receive_in_batches("batches of 1", 1);
        receive_in_batches("batches of 10", 10);
        receive_in_batches("batches of 100", many);
        wait_with_a_buffer_each();
        wait_with_a_pool();
        wait_with_one_request();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "ring_bench: {}\n", error.what());
        return 1;
    }
}
