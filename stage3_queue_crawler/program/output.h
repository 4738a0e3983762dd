// Where the results go: a file, or standard output.
//
// Standard output may be a pipe, and its reader may take its time (`| less`). A `write`
// that waited for it would stop the event loop: no timer would run, no server would be
// listened to, and the fetches under way would seem to have taken too long. So this class
// writes as much as there is room for, keeps the rest, and has the loop call when there
// is room again. The workers wait in `drain`, so that the rest stays small. Page 18b of
// the book.
//
// Each line is written to a file separately: if the program is killed, the system may cut
// off a write at the end of a page of memory. So a crawl that is killed leaves whole
// lines, unless it dies just as one crosses such an end. A pipe takes 4 KiB or nothing,
// so lines are collected for it, which saves two system calls per line.
#pragma once

#include "stage3_queue_crawler/program/write.h"
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

namespace stage3 {

class Output {
  public:
    /// Workers wait as long as more than this is unwritten, in bytes.
    static constexpr std::size_t most_unwritten = std::size_t{64} * 1024;
    /// How much is collected for a pipe, in bytes; less if it has waited for
    /// `longest_wait`.
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

    /// Writes it soon, as far as there is room, and the rest when there is. Never waits,
    /// except for disks. Throws std::system_error, for this text or for what was written
    /// before: std::errc::broken_pipe if the reader is gone.
    void write(std::string_view text);
    /// Waits until at most `most_unwritten` bytes are left. Throws as `write` does.
    Coroutine<> drain();
    /// Writes what is left, and blocks the loop until that is done. For the end. Throws
    /// as `write` does.
    void flush();

    std::size_t unwritten() const { return unwritten_.size(); }

  private:
    void hand_on();
    void write_what_fits();
    void watch(bool on);
    void check() const;

    EventLoop& loop_;
    WriteEnd end_;
    bool may_wait_; // for room
    bool watched_ = false;
    std::string unwritten_;
    std::optional<CancelAtExit> later_; // hands on what has been collected by then
    std::exception_ptr failure_;        // of an earlier write
    Event has_room_;
};

/// Writes all of it to standard output. Waits as long as a pipe is full. Throws
/// std::system_error: std::errc::broken_pipe if the reader is gone.
void print_on_stdout(std::string_view text);

} // namespace stage3
