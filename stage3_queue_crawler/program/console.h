// What the user sees during a crawl: notes, and a line that shows how far it is. All of
// it goes to standard error, so that results can go elsewhere.
//
// If standard error is a pipe that isn't read, or a terminal that was stopped (Ctrl-S),
// that is no reason for the crawl to stop. What doesn't fit is kept, and written when
// there is room; if it becomes too much, later notes are left out, and counted.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/program/write.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <unistd.h>

namespace stage3 {

/// "1234 fetched, 12 redirects, 3 dead; 10 under way, 345 waiting; 12 s".
std::string describe(const Progress& progress, std::chrono::seconds so_far);

/// Why a crawl ended early, for a person.
std::string_view describe(Ending ending);

/// The same, and how many URLs it hasn't come to.
std::string describe(Ending ending, std::size_t not_fetched);

/// How wide a terminal is; 80 if that's unknown.
std::size_t columns_of_terminal(int fd);

class Console {
  public:
    /// While more than this waits for a reader, in bytes, notes are left out.
    static constexpr std::size_t most_unwritten = std::size_t{256} * 1024;

    /// `quiet`: notes are left out. `loop` must outlive it. SIGPIPE must be ignored.
    Console(EventLoop& loop, bool quiet, int fd = STDERR_FILENO);
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;
    /// Removes the progress line, and waits as long as what is left is being read; if
    /// nothing is read for five seconds, the rest is lost.
    ~Console();

    // None of these waits, and none fails if the text can't be read.

    /// Shows one or more lines, without the last line end, above the progress line.
    void note(const std::string& text);
    /// The same, even if `quiet`: the user has asked for it, or must know.
    void answer(const std::string& text);
    /// Replaces the progress line; an empty text removes it. Cut off where the terminal's
    /// line ends. Not shown while older text waits for a reader.
    void show_progress(const std::string& text);

    std::size_t unwritten() const { return unwritten_.size(); }

  private:
    void write(std::string_view text);
    void hand_on();
    void watch(bool on);
    std::string take_left_out();

    EventLoop& loop_;
    bool quiet_;
    WriteEnd end_;
    bool may_wait_; // for room
    bool watched_ = false;
    std::string unwritten_;
    std::size_t left_out_ = 0; // notes
    std::string progress_;     // on the screen now, or will be
};

/// Awaits the crawl; if `wanted`, shows five times a second how far it is.
Coroutine<Ending> await_and_tell(Task<Ending> crawl, std::function<Progress()> progress,
                                 Console& console, bool wanted);

} // namespace stage3
