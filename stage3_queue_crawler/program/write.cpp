#include "stage3_queue_crawler/program/write.h"

#include <array>
#include <cerrno>
#include <climits>
#include <exception>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stage3 {
namespace {

/// Waits that long for room; -1: without a limit. False: there is none.
bool has_room(int fd, int milliseconds = 0) {
    pollfd full{fd, POLLOUT, 0};
    int ready = -1;
    do
        ready = ::poll(&full, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0; // true even if a write would fail
}

/// Returns how much was taken. 0: there is no room, and writes to `fd` don't wait.
std::size_t write_some(int fd, std::string_view text) {
    for (;;) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count >= 0)
            return static_cast<std::size_t>(count);
        if (errno == EAGAIN)
            return 0;
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(),
                                    "can't write results");
    }
}

/// What a pipe that has room at all takes without waiting: whole lines, if they are
/// short.
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

bool is_pipe(int fd) {
    struct stat kind{};
    return ::fstat(fd, &kind) == 0 && (S_ISFIFO(kind.st_mode) || S_ISSOCK(kind.st_mode));
}

// A terminal says that it has room if there is room for a byte. So it's opened again, and
// told not to wait.
common::Socket open_terminal(int fd) {
    std::array<char, 256> name{};
    if (::isatty(fd) != 1 || ::ttyname_r(fd, name.data(), name.size()) != 0)
        return {};
    return common::Socket(
        ::open(name.data(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

void write_all(int fd, std::string_view text) {
    std::string_view left = text;
    try {
        while (!left.empty()) {
            const std::size_t count = write_some(fd, left);
            left.remove_prefix(count);
            if (count == 0) // another program may have set it not to wait
                has_room(fd, -1);
        }
    } catch (const std::system_error&) {
        take_back_half_a_line(fd, text.substr(0, text.size() - left.size()));
        throw;
    }
}

void write_lines(int fd, std::string_view text) {
    while (!text.empty())
        if (has_room(fd, -1))
            text.remove_prefix(write_some(fd, first_piece(text)));
}

// [write-ready]
std::size_t write_ready(int fd, std::string_view text) {
    std::string_view left = text;
    while (!left.empty() && has_room(fd)) { // it doesn't wait
        const std::size_t count = write_some(fd, first_piece(left));
        left.remove_prefix(count);
        if (count == 0)
            break;
    }
    return text.size() - left.size();
}
// [/write-ready]

void write_patiently(int fd, std::string_view text,
                     std::chrono::milliseconds patience) noexcept {
    try {
        while (!text.empty() && has_room(fd, static_cast<int>(patience.count())))
            text.remove_prefix(write_some(fd, first_piece(text)));
        // NOLINTNEXTLINE(bugprone-empty-catch): where to say that nothing can be said?
    } catch (const std::exception&) {
    }
}

} // namespace stage3
