#include "tests/support/faults.h"

#include "tests/support/waits.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#ifndef LINKER_WRAPS
#include <dlfcn.h>
#endif
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

namespace {

thread_local tests::Fault* current = nullptr;

/// True if this call is to be interrupted.
bool interrupt() {
    if (current == nullptr || current->interruptions == 0)
        return false;
    --current->interruptions;
    ++current->interrupted;
    errno = EINTR;
    return true;
}

/// True if this client can't be accepted.
bool refuse_client() {
    if (current == nullptr || current->no_descriptor_for_accept == 0)
        return false;
    --current->no_descriptor_for_accept;
    errno = current->accept_error;
    return true;
}

} // namespace

// With --wrap, the linker sends calls of `send` to `__wrap_send`, and calls of
// `__real_send` to the C library's. A linker that doesn't know it (macOS's) takes our
// `send` for the program's, and the C library's is looked up.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#ifdef LINKER_WRAPS
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
extern "C" {
int __real_accept(int fd, sockaddr* address, socklen_t* length);
int __real_accept4(int fd, sockaddr* address, socklen_t* length, int flags);
int __real_socket(int family, int type, int protocol);
ssize_t __real_send(int fd, const void* bytes, std::size_t size, int flags);
ssize_t __real_recv(int fd, void* bytes, std::size_t size, int flags);
int __real_poll(pollfd* list, nfds_t size, int milliseconds);
int __real_getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                       addrinfo** found);
int __wrap_accept(int fd, sockaddr* address, socklen_t* length);
int __wrap_accept4(int fd, sockaddr* address, socklen_t* length, int flags);
int __wrap_socket(int family, int type, int protocol);
ssize_t __wrap_send(int fd, const void* bytes, std::size_t size, int flags);
ssize_t __wrap_recv(int fd, void* bytes, std::size_t size, int flags);
int __wrap_poll(pollfd* list, nfds_t size, int milliseconds);
int __wrap_getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                       addrinfo** found);
}
#else
#define OURS(name) name
#define THEIRS(name) reinterpret_cast<decltype(&::name)>(::dlsym(RTLD_NEXT, #name))
#endif

extern "C" {

int OURS(accept)(int fd, sockaddr* address, socklen_t* length) {
    return refuse_client() ? -1 : THEIRS(accept)(fd, address, length);
}

#ifdef __linux__
int OURS(accept4)(int fd, sockaddr* address, socklen_t* length, int flags) {
    return refuse_client() ? -1 : THEIRS(accept4)(fd, address, length, flags);
}
#endif

int OURS(socket)(int family, int type, int protocol) {
    if (current != nullptr && current->no_descriptor_for_socket > 0) {
        --current->no_descriptor_for_socket;
        errno = EMFILE;
        return -1;
    }
    return THEIRS(socket)(family, type, protocol);
}

ssize_t OURS(send)(int fd, const void* bytes, std::size_t size, int flags) {
    if (interrupt())
        return -1;
    if (current != nullptr) {
        ++current->sends;
        if (current->sends == current->broken_send) {
            errno = ECONNRESET;
            return -1;
        }
        if (current->send_blocks_every_second_time && current->sends % 2 == 0) {
            errno = EAGAIN;
            return -1;
        }
        if (current->send_at_most != 0)
            size = std::min(size, current->send_at_most);
    }
    return THEIRS(send)(fd, bytes, size, flags);
}

ssize_t OURS(recv)(int fd, void* bytes, std::size_t size, int flags) {
    if (interrupt())
        return -1;
    return THEIRS(recv)(fd, bytes, size, flags);
}

int OURS(poll)(pollfd* list, nfds_t size, int milliseconds) {
    const int ready = THEIRS(poll)(list, size, milliseconds);
    if (ready == 0)
        tests::count_wait(std::chrono::milliseconds(milliseconds));
    if (ready > 0 && current != nullptr && current->after_poll)
        std::exchange(current->after_poll, {})();
    return ready;
}

int OURS(getaddrinfo)(const char* host, const char* port, const addrinfo* hints,
                      addrinfo** found) {
    if (current != nullptr && current->loopback_name != nullptr
        && std::string_view(current->loopback_name) == host) {
        if (current->no_descriptor_to_resolve-- > 0) {
            errno = EMFILE;
            return EAI_SYSTEM;
        }
        host = "127.0.0.1";
    }
    const int failure = THEIRS(getaddrinfo)(host, port, hints, found);
    if (failure != 0 || current == nullptr)
        return failure;
    ++current->resolved;
    if (current->first_address == nullptr)
        return 0;
    // Two results of one entry each, linked: freeaddrinfo frees entry after entry.
    addrinfo* const real = *found;
    if (THEIRS(getaddrinfo)(current->first_address, port, hints, found) == 0)
        (*found)->ai_next = real;
    else
        *found = real;
    return 0;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tests {

Fault::Fault() { current = this; }

Fault::~Fault() { current = nullptr; }

} // namespace tests
