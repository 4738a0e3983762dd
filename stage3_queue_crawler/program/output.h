// Where the results go: a file, or standard output.
//
// Standard output may be a pipe, and its reader may take his time (`| less`). A `write`
// that waits for him would stop the event loop: no timer would run, no server would be
// listened to, and the fetches under way would seem to have taken too long. So this one
// writes as much as there is room for, keeps the rest, and lets the loop tell when there
// is room again. The workers wait in `drain`, so that the rest stays small. Page 17 of
// the book.
//
// Each line goes into a file by itself: the system may break off a longer write where a
// page of memory ends, if the program is killed. So whoever ends it in the middle of a
// crawl finds whole lines (unless the disk is full, which is an error). A pipe takes 4
// KiB or nothing, so lines come together for it, which saves two system calls for each.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/sync/event.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace stage3 {

class Output {
  public:
    /// Workers wait as long as more than this is unwritten, in bytes.
    static constexpr std::size_t most_unwritten = std::size_t{64} * 1024;
    /// So much comes together for a pipe, in bytes; or less, when it has waited for so
    /// long.
    static constexpr std::size_t block = std::size_t{16} * 1024;
    static constexpr std::chrono::milliseconds longest_wait{100};

    /// Writes to `path`, from its beginning; an empty one means standard output. `loop`
    /// must outlive it. SIGPIPE must be ignored. Throws std::system_error, with the path
    /// in its message.
    Output(EventLoop& loop, const std::string& path);
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    /// What is still unwritten is lost: see `flush`.
    ~Output();

    /// Writes it: soon, as far as there is room, and the rest when there is. Never waits,
    /// but for disks. Throws std::system_error, for this text or for what was written
    /// before: std::errc::broken_pipe if nobody reads any more.
    void write(std::string_view text);
    /// Waits until not more than `most_unwritten` bytes are left. Throws as `write` does.
    Coroutine<> drain();
    /// Writes what is left, and stops the loop until that is done. For the end. Throws as
    /// `write` does.
    void flush();

    std::size_t unwritten() const { return unwritten_.size(); }

  private:
    void hand_on();
    void write_what_fits();
    void watch(bool on);
    void check() const;

    EventLoop& loop_;
    common::Socket file_; // owns the descriptor, if it was opened here
    int fd_ = STDOUT_FILENO;
    bool may_wait_ = false; // as for a pipe's reader
    bool watched_ = false;
    std::string unwritten_;
    std::optional<CancelAtExit> later_; // hands on what has come together by then
    std::exception_ptr failure_;        // of an earlier write
    Event has_room_;
};

/// Writes all of it to standard output. Waits as long as a pipe is full. Throws
/// std::system_error: std::errc::broken_pipe if nobody reads any more.
void print_on_stdout(std::string_view text);

} // namespace stage3
