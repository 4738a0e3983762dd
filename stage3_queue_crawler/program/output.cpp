#include "stage3_queue_crawler/program/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stage3 {
namespace {

/// Files take all they are given: those can't be waited for, and needn't be.
bool is_pipe(int fd) {
    struct stat kind{};
    return ::fstat(fd, &kind) == 0 && (S_ISFIFO(kind.st_mode) || S_ISSOCK(kind.st_mode));
}

/// A terminal says that it has room when there is room for a byte. So it's opened once
/// more, and told not to wait; others who use it (a shell, say) don't notice that.
common::Socket open_terminal(int fd) {
    std::array<char, 256> name{};
    if (::isatty(fd) != 1 || ::ttyname_r(fd, name.data(), name.size()) != 0)
        return {};
    return common::Socket(
        ::open(name.data(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

/// Waits for so long until there is room, -1: for ever. False: there is none.
bool has_room(int fd, int milliseconds = 0) {
    pollfd full{fd, POLLOUT, 0};
    return ::poll(&full, 1, milliseconds) > 0; // also if a write would fail
}

/// Returns how much was taken. 0: there is no room, and it's one that doesn't wait.
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

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const std::size_t count = write_some(fd, text);
        text.remove_prefix(count);
        if (count == 0) // perhaps another program has said that it shall not wait
            has_room(fd, -1);
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

} // namespace

Output::Output(EventLoop& loop, const std::string& path) : loop_(loop) {
    if (!path.empty()) {
        file_ = common::Socket(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (!file_)
            throw std::system_error(errno, std::generic_category(),
                                    "can't write to '" + path + "'");
        fd_ = file_.fd();
    }
    may_wait_ = is_pipe(fd_);
    if (common::Socket terminal = open_terminal(fd_)) {
        file_ = std::move(terminal);
        fd_ = file_.fd();
        may_wait_ = true;
    }
    may_wait_ = may_wait_ && loop.can_watch(fd_);
}

// NOLINTNEXTLINE(bugprone-exception-escape): if somebody has closed our descriptor
Output::~Output() { watch(false); }

void Output::write(std::string_view text) {
    check();
    unwritten_ += text;
    if (watched_ || text.empty())
        return; // the loop will tell; or nothing is new
    if (!may_wait_ || unwritten_.size() >= block) {
        hand_on();
        check();
    } else if (!later_) {
        later_.emplace(loop_.call_later(longest_wait, [this] { hand_on(); }));
    }
}

/// What has come together goes to the system, as far as there is room.
void Output::hand_on() {
    later_.reset();
    try {
        if (may_wait_)
            write_what_fits();
        else
            write_all(fd_, std::exchange(unwritten_, {}));
    } catch (const std::system_error&) {
        failure_ = std::current_exception();
        watch(false);
        has_room_.set(); // who waits should hear of it
    }
}

// [write-what-fits]
void Output::write_what_fits() {
    std::string_view left = unwritten_;
    while (!left.empty() && has_room(fd_)) { // it doesn't wait
        const std::size_t count = write_some(fd_, first_piece(left));
        left.remove_prefix(count);
        if (count == 0)
            break;
    }
    unwritten_.erase(0, unwritten_.size() - left.size());
    watch(!unwritten_.empty());
    if (unwritten_.size() <= most_unwritten)
        has_room_.set();
    else
        has_room_.clear();
}
// [/write-what-fits]

void Output::watch(bool on) {
    if (on && !watched_)
        loop_.add_writer(fd_, [this] { hand_on(); });
    else if (!on && watched_)
        loop_.remove_writer(fd_);
    watched_ = on;
}

Coroutine<> Output::drain() {
    check();
    while (unwritten_.size() > most_unwritten) {
        has_room_.clear();
        co_await has_room_.wait();
        check();
    }
}

void Output::flush() {
    check();
    later_.reset();
    watch(false);
    write_all(fd_, std::exchange(unwritten_, {}));
}

void Output::check() const {
    if (failure_)
        std::rethrow_exception(failure_);
}

void print_on_stdout(std::string_view text) { write_all(STDOUT_FILENO, text); }

} // namespace stage3
