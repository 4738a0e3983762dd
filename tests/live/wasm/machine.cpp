// The machine that the program runs on in a page: a clock that jumps, one file, which is
// in memory, and nothing else. Its calls are answered here, and so the page needs no code
// for them.
//
// Stands in for common/system/socket.cpp, too. What else a crawl uses of the runtime is
// compiled as it is; machine/ has what wasi-libc and libc++ leave out on a machine
// without threads and signals. Sources: WASI's preview 1 (wasi/api.h), and the manual
// pages of each call.
#include "tests/live/wasm/machine.h"

#include "common/system/socket.h"
#include "tests/live/crawl.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include <poll.h>
#include <unistd.h>
#include <wasi/api.h>

namespace tests::live {
namespace {

// The time that a look at the clock takes: so it goes on even in a program that only
// computes.
constexpr std::int64_t look_ns = 1500;

std::int64_t now_ns = 1'000'000'000;
std::string file;    // what the program writes to the only one that there is
std::string printed; // and to the screen

ssize_t append(void* /*cookie*/, const char* bytes, std::size_t size) {
    file.append(bytes, size);
    return static_cast<ssize_t>(size);
}

} // namespace

std::string take_printed() {
    std::fflush(stdout);
    return std::exchange(printed, {});
}

std::string written_by(const std::function<void(const std::string& file)>& write) {
    file.clear();
    write("trace");
    return std::exchange(file, {});
}

} // namespace tests::live

// ---- What the runtime's files call ----

namespace common {

void Socket::close() noexcept { fd_ = -1; }
std::error_code make_nonblocking(int /*fd*/) noexcept { return {}; }

} // namespace common

using namespace tests::live;

extern "C" {

FILE* fopen(const char* /*path*/, const char* /*mode*/) {
    return ::fopencookie(nullptr, "w", {nullptr, append, nullptr, nullptr});
}

/// The loop's, to wake itself: what is written there goes nowhere, since nobody else
/// could write to it while the loop sleeps.
int pipe(int* ends) {
    ends[0] = 3;
    ends[1] = 4;
    return 0;
}

/// Nothing is ever ready; the time is over at once.
int poll(pollfd* /*fds*/, nfds_t /*count*/, int timeout_ms) {
    if (timeout_ms < 0)
        __builtin_trap(); // it would sleep for ever
    now_ns += std::int64_t{timeout_ms} * 1'000'000;
    return 0;
}

// ---- What the C library calls: each is a function of WASI's ----

#define WASI(name) __imported_wasi_snapshot_preview1_##name

int32_t WASI(clock_time_get)(int32_t /*clock*/, int64_t /*precision*/, int32_t time) {
    now_ns += look_ns;
    std::memcpy(reinterpret_cast<void*>(time), &now_ns, sizeof now_ns);
    return __WASI_ERRNO_SUCCESS;
}
int32_t WASI(fd_write)(int32_t fd, int32_t pieces, int32_t count, int32_t written) {
    const auto* const piece = reinterpret_cast<const __wasi_ciovec_t*>(pieces);
    std::size_t all = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (fd <= 2)
            printed.append(reinterpret_cast<const char*>(piece[i].buf), piece[i].buf_len);
        all += piece[i].buf_len;
    }
    *reinterpret_cast<std::size_t*>(written) = all;
    return __WASI_ERRNO_SUCCESS;
}
int32_t WASI(fd_read)(int32_t, int32_t, int32_t, int32_t read) {
    *reinterpret_cast<std::size_t*>(read) = 0;
    return __WASI_ERRNO_SUCCESS;
}
int32_t WASI(fd_close)(int32_t) { return __WASI_ERRNO_SUCCESS; }
int32_t WASI(fd_seek)(int32_t, int64_t, int32_t, int32_t) { return __WASI_ERRNO_SPIPE; }
int32_t WASI(fd_fdstat_get)(int32_t, int32_t status) {
    std::memset(reinterpret_cast<void*>(status), 0, sizeof(__wasi_fdstat_t));
    return __WASI_ERRNO_SUCCESS;
}
int32_t WASI(fd_fdstat_set_flags)(int32_t, int32_t) { return __WASI_ERRNO_SUCCESS; }
int32_t WASI(poll_oneoff)(int32_t, int32_t, int32_t, int32_t) {
    return __WASI_ERRNO_NOSYS;
}
int32_t WASI(environ_get)(int32_t, int32_t) { return __WASI_ERRNO_SUCCESS; }
int32_t WASI(environ_sizes_get)(int32_t count, int32_t size) {
    *reinterpret_cast<int32_t*>(count) = *reinterpret_cast<int32_t*>(size) = 0;
    return __WASI_ERRNO_SUCCESS;
}
int32_t WASI(random_get)(int32_t, int32_t) { return __WASI_ERRNO_NOSYS; }
[[noreturn]] void WASI(proc_exit)(int32_t) { __builtin_trap(); }

} // extern "C"
