// A crawl's memory in a file: what servers have answered, and the links of their pages.
//
// With it, a crawl that was killed continues, and the next one asks servers only what has
// changed. The file is an SQLite database. A thread of its own reads and writes it, since
// a disk may take its time, and the loop must not wait for it; answers of 20 ms are
// written together, since that costs little more than writing one. Page 34 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/answers.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stage3 {

/// The file can't be used. The message says why, and what to do.
struct StateError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct StateOptions {
    std::string file;
    /// An answer of an earlier crawl that isn't older will do, if the URL was alive.
    std::chrono::seconds max_age{0};
    /// What the answers depend on, such as "--scope host"; one setting per line. Answers
    /// that were given under other settings are of no use.
    std::string settings;
    /// Called with what the user should read.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

class State : public Answers {
  public:
    struct Counts {
        std::size_t asked = 0;     ///< servers, about URLs
        std::size_t unchanged = 0; ///< of these: they said so
        std::size_t not_asked = 0;
    };

    /// What the file had, for a person; empty if it was new.
    virtual std::string greeting() const = 0;
    /// So far, in this process.
    virtual Counts counts() const = 0;
    /// Waits while much is still to be written.
    virtual Coroutine<> until_ready() = 0;
    /// Waits until all is written, at the end. `is_over`: the next crawl begins anew.
    /// `ask_again`: pages on which something was missing, though they are alive.
    /// Returns false if something couldn't be written.
    virtual Coroutine<bool> end(bool is_over, std::vector<common::Url> ask_again) = 0;
};

/// For people: "sqlite/3.40.1", or "without SQLite".
std::string name_of_sqlite();
/// Opens the file, or makes it. `loop` must outlive it. Throws StateError.
std::unique_ptr<State> open_state(EventLoop& loop, StateOptions options);

} // namespace stage3
