#include "stage3_queue_crawler/program/write.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <climits>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stage3 {
namespace {

/// What `fd` leads to, opened again. "Don't wait" holds for one opening of a file, so
/// others don't notice.
common::Socket open_again(int fd) {
    std::array<char, 256> terminal{};
    const bool is_terminal = ::isatty(fd) == 1;
    if (is_terminal && ::ttyname_r(fd, terminal.data(), terminal.size()) != 0)
        return {};
    const std::string name =
        is_terminal ? terminal.data() : fmt::format("/proc/self/fd/{}", fd);
    return common::Socket(
        ::open(name.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

/// Waits that long for room; -1: without a limit. False: there is none.
bool has_room(const WriteEnd& end, int milliseconds = 0) {
    pollfd full{end.fd(), POLLOUT, 0};
    int ready = -1;
    do
        ready = ::poll(&full, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0; // true even if a write would fail
}

/// Returns how much was taken. 0: there is no room.
std::size_t write_some(const WriteEnd& end, std::string_view text) {
    for (;;) {
        const ssize_t count =
            end.is_socket() ? ::send(end.fd(), text.data(), text.size(), MSG_DONTWAIT)
                            : ::write(end.fd(), text.data(), text.size());
        if (count >= 0)
            return static_cast<std::size_t>(count);
        if (errno == EAGAIN)
            return 0;
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(),
                                    "can't write results");
    }
}

/// What a pipe takes whole, or not at all: whole lines, if they are short. So a pipe that
/// couldn't be opened again takes it without waiting if it has room.
std::string_view first_piece(std::string_view text) {
    const std::string_view piece = text.substr(0, PIPE_BUF);
    const std::size_t line_end = piece.rfind('\n');
    return piece.substr(0,
                        line_end == std::string_view::npos ? piece.size() : line_end + 1);
}

/// After a disk was full: what is in the file should be whole lines. `written` is what
/// got there. Does nothing if it isn't a file, or if something follows.
void take_back_half_a_line(int fd, std::string_view written) {
    const auto begin = written.rfind('\n') + 1; // 0 if there is no line end
    const off_t end = ::lseek(fd, 0, SEEK_CUR);
    struct stat file{};
    const bool is_last = begin < written.size() && end >= 0 && ::fstat(fd, &file) == 0
                         && S_ISREG(file.st_mode) && file.st_size == end;
    const off_t new_end = end - static_cast<off_t>(written.size() - begin);
    if (is_last && ::ftruncate(fd, new_end) == 0)
        ::lseek(fd, new_end, SEEK_SET); // others may write there, too
}

} // namespace

// A pipe that can't be opened again (it's another user's, or there is no /proc) still has
// a reader: a write waits for them only if another program has filled it since `poll`. A
// terminal is written to like a file then: it says that it has room if there is room for
// a byte.
WriteEnd::WriteEnd(int fd) : fd_(fd) {
    struct stat kind{};
    const mode_t mode = ::fstat(fd, &kind) == 0 ? kind.st_mode : mode_t{0};
    is_socket_ = S_ISSOCK(mode);
    if (S_ISFIFO(mode) || ::isatty(fd) == 1)
        own_ = open_again(fd);
    if (own_)
        fd_ = own_.fd();
    has_reader_ = S_ISFIFO(mode) || is_socket_ || own_;
}

WriteEnd::WriteEnd(common::Socket file) : WriteEnd(file.fd()) {
    if (own_)
        return;
    own_ = std::move(file);
    // No one else uses this opening. If that fails, a write may wait.
    [[maybe_unused]] const auto failure = common::make_nonblocking(fd_);
}

void write_all(const WriteEnd& end, std::string_view text) {
    std::string_view left = text;
    try {
        while (!left.empty()) {
            const std::size_t count = write_some(end, left);
            left.remove_prefix(count);
            if (count == 0)
                has_room(end, -1);
        }
    } catch (const std::system_error&) {
        take_back_half_a_line(end.fd(), text.substr(0, text.size() - left.size()));
        throw;
    }
}

void write_lines(const WriteEnd& end, std::string_view text) {
    while (!text.empty())
        if (has_room(end, -1))
            text.remove_prefix(write_some(end, first_piece(text)));
}

std::size_t write_ready(const WriteEnd& end, std::string_view text) {
    std::string_view left = text;
    while (!left.empty() && has_room(end)) { // it doesn't wait
        const std::size_t count = write_some(end, first_piece(left));
        left.remove_prefix(count);
        if (count == 0)
            break;
    }
    return text.size() - left.size();
}

void write_patiently(const WriteEnd& end, std::string_view text,
                     std::chrono::milliseconds patience) noexcept {
    try {
        while (!text.empty() && has_room(end, static_cast<int>(patience.count())))
            text.remove_prefix(write_some(end, first_piece(text)));
        // NOLINTNEXTLINE(bugprone-empty-catch): where to say that nothing can be said?
    } catch (const std::exception&) {
    }
}

} // namespace stage3
