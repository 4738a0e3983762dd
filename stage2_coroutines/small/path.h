// The way of an exception through the coroutines: which ones it has left, and where each
// of them was.
//
// Stage 2's own is stage2_coroutines/traceback.h. Page 09 of the book.
#pragma once

#include "common/trace/place.h"
#include "common/trace/trace.h"

#include <fmt/core.h>

#include <cstddef>
#include <exception>
#include <source_location>
#include <string>
#include <vector>

namespace small {

// [path]
using Place = std::source_location; // a function, and a line in it

/// The coroutines that an exception has left so far.
class Path {
  public:
    /// `error` has left a coroutine. `place` is the `co_await` that this coroutine had
    /// reached last, or, if there was none, the coroutine itself.
    void note(const std::exception_ptr& error, Place place) {
        if (error != error_)
            places_.clear(); // another exception: its path begins here
        error_ = error;
        places_.push_back(place);
    }

    /// The path for a person to read, a line for each coroutine, the outermost first.
    std::string text() const {
        std::string lines;
        for (std::size_t i = places_.size(); i > 0; --i) {
            const Place& place = places_[i - 1];
            lines +=
                fmt::format("  {}, {} at {}\n", common::short_name(place.function_name()),
                            i == 1 ? "resumed" : "waiting", // i == 1: innermost
                            common::file_and_line(place));
        }
        return lines;
    }

  private:
    std::exception_ptr error_;  // the one noted last
    std::vector<Place> places_; // the innermost first
};

/// One is enough for all coroutines of a thread: only one of them runs at a time.
inline thread_local Path path;
// [/path]

} // namespace small
