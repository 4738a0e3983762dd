// What the user sees while it runs: notes, and a line that tells how far it is. All of it
// goes to standard error, so that results can go elsewhere.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace stage3 {

/// "1234 fetched, 12 redirects, 3 dead; 10 under way, 345 waiting; 12 s".
std::string describe(const Progress& progress, std::chrono::seconds so_far);

/// Why a crawl ended early, for a person.
std::string_view describe(Ending ending);

class Console {
  public:
    /// `quiet`: notes are left out.
    explicit Console(bool quiet) : quiet_(quiet) {}
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;
    /// Takes the progress line away.
    ~Console() { show_progress({}); }

    /// A line, or some, without the last line end; above the progress line.
    void note(const std::string& text);
    /// The same, but told in any case: the user has asked.
    void answer(const std::string& text);
    /// Replaces the progress line; an empty text takes it away. Cut off where the
    /// terminal's line ends.
    void show_progress(const std::string& text);

  private:
    bool quiet_;
    std::string progress_; // on the screen now
};

/// Awaits the crawl, and tells five times a second how far it is, if that is `wanted`.
Coroutine<Ending> await_and_tell(Task<Ending> crawl, std::function<Progress()> progress,
                                 Console& console, bool wanted);

} // namespace stage3
