// Failures on demand, for what a healthy system doesn't do when a test needs it.
//
// In test programs, the product's calls of `socket`, `accept`, `accept4`, `send`, `recv`,
// `poll` and `getaddrinfo` pass through faults.cpp first. While a Fault of this thread is
// alive, they fail or fall short as it says; otherwise they go straight through.
#pragma once

#include <cerrno>
#include <cstddef>
#include <functional>

namespace tests {

/// What is to go wrong in this thread's calls until this object is destroyed.
struct Fault {
    Fault();
    ~Fault();
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;

    /// How many times no descriptor is left for a socket.
    int no_descriptor_for_socket = 0;
    /// How many times no client can be accepted. `accept_error` is the reason, an errno;
    /// by default, no descriptor is left.
    int no_descriptor_for_accept = 0;
    int accept_error = EMFILE;
    /// `send` takes at most this many bytes at a time. 0: as many as it likes.
    std::size_t send_at_most = 0;
    /// Every second `send` finds the buffer full (EAGAIN).
    bool send_blocks_every_second_time = false;
    /// The call of `send` with this number, from 1, finds the connection broken
    /// (ECONNRESET).
    std::size_t broken_send = 0;
    /// What another program does just after `poll` has found something ready. Once.
    std::function<void()> after_poll = {};
    /// How many calls of `send` and `recv` are interrupted by a signal first (EINTR).
    int interruptions = 0;
    /// A numeric address that every host seems to have before its real ones.
    const char* first_address = nullptr;
    /// A name that resolves to 127.0.0.1 without a name server.
    const char* loopback_name = nullptr;
    /// How many times no descriptor is left to look up `loopback_name`.
    int no_descriptor_to_resolve = 0;

    // What happened, for a test to see that it was tested at all.
    std::size_t sends = 0;
    int interrupted = 0;
    int resolved = 0;
};

} // namespace tests
