// What happened, in order: a program's events, one JSON object a line.
//
// In asynchronous code the interesting question is *when*: which callback ran in which
// turn of the loop, and what was ready before it. A debugger that stops the program also
// stops the clock. A trace does neither: each event is written down as it happens, and
// read afterwards. All stages use the same words, so that their traces can be laid side
// by side.
//
// Every event has `t`, microseconds since the tracer was made; `turn`, how often the loop
// has turned; `event`; and, where known, `at`, a source file and line.
#pragma once

#include "common/system/selector.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace common {

/// One coroutine of those that a task consists of, and where it waits.
struct ChainLink {
    std::string name; ///< of its function
    std::string at;   ///< file and line
};

/// Writes a run's events to a file. A Tracer made without a file is off, and each of its
/// calls then costs one branch that the processor predicts.
class Tracer {
  public:
    /// A tracer that is off.
    Tracer() = default;

    /// Writes to `path`, from its beginning. Throws std::system_error if it can't be
    /// opened.
    explicit Tracer(const std::string& path);

    bool enabled() const { return file_ != nullptr; }

    /// Ends the trace. Returns why it is not whole, if it isn't: perhaps the disk is
    /// full. It ends by itself then, and whatever is traced goes on.
    std::error_code close();

    /// A new turn of the event loop begins: it waits on `watched` descriptors.
    void select(std::optional<Selector::Milliseconds> timeout, std::size_t watched) {
        ++turn_;
        if (enabled()) [[unlikely]]
            write_select(timeout, watched);
    }

    /// The selector says that a descriptor is ready.
    void ready(const Ready& ready) {
        if (enabled()) [[unlikely]]
            write_ready(ready);
    }

    /// The loop calls a callback, which was registered at `at`.
    void callback_begin(std::string_view name, const std::source_location& at) {
        if (enabled()) [[unlikely]]
            write_callback("begin", name, at);
    }
    /// The callback has returned.
    void callback_end(std::string_view name, const std::source_location& at) {
        if (enabled()) [[unlikely]]
            write_callback("end", name, at);
    }

    /// A fetch begins. `id` tells the fetches of one run apart.
    void fetch_start(std::uint64_t id, std::string_view url) {
        if (enabled()) [[unlikely]]
            write_fetch_start(id, url);
    }
    /// A fetch has ended; `status` is 0 and `bytes` the count so far where it failed.
    void fetch_end(std::uint64_t id, std::string_view url, int status,
                   std::size_t bytes) {
        if (enabled()) [[unlikely]]
            write_fetch_end(id, url, status, bytes);
    }

    /// A task's life: `phase` is "new", "step", "suspend", "cancel" or "done". `task` and
    /// `future` only tell one from another: any address that stays the same meanwhile. A
    /// suspended task waits for `future`, and `chain` says where: its coroutines, the
    /// outermost first.
    void task(std::string_view phase, const void* task, const void* future = nullptr,
              std::span<const ChainLink> chain = {}) {
        if (enabled()) [[unlikely]]
            write_task(phase, task, future, chain);
    }
    /// A future is waited for. It is written down the first time.
    void future_new(const void* future) {
        if (enabled()) [[unlikely]]
            write_future_new(future);
    }
    /// A future has its result. It is written down once, however many waited.
    void future_resolve(const void* future) {
        if (enabled()) [[unlikely]]
            write_future_end(future, "resolve");
    }
    /// A future was cancelled. It is written down once, however many waited.
    void future_cancel(const void* future) {
        if (enabled()) [[unlikely]]
            write_future_end(future, "cancel");
    }

    /// How a queue stands.
    struct Queue {
        std::size_t size;       ///< items in it
        std::size_t unfinished; ///< of those that came in
        std::size_t getters;    ///< who wait
        std::size_t putters;
    };
    /// Something has happened to a queue: `phase` is "put", "get", "wait", "give_back",
    /// "task_done" or "join".
    void queue(std::string_view phase, const Queue& queue) {
        if (enabled()) [[unlikely]]
            write_queue(phase, queue);
    }

  private:
    struct CloseFile {
        void operator()(std::FILE* file) const {
            static_cast<void>(std::fclose(file)); // a destructor can't complain
        }
    };

    void write(std::string_view event, std::string_view fields);
    void fail();
    void write_select(std::optional<Selector::Milliseconds> timeout, std::size_t watched);
    void write_ready(const Ready& ready);
    void write_callback(std::string_view phase, std::string_view name,
                        const std::source_location& at);
    void write_task(std::string_view phase, const void* task, const void* future,
                    std::span<const ChainLink> chain);
    void write_future_new(const void* future);
    void write_future_end(const void* future, std::string_view phase);
    void write_queue(std::string_view phase, const Queue& queue);
    void write_fetch_start(std::uint64_t id, std::string_view url);
    void write_fetch_end(std::uint64_t id, std::string_view url, int status,
                         std::size_t bytes);

    std::unique_ptr<std::FILE, CloseFile> file_;
    std::error_code error_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::uint64_t turn_ = 0;

    // Tasks and pending futures, by address. When one is gone, its address may be used
    // again; a number never is.
    struct Known {
        std::uint64_t id;
        std::size_t waiters;
    };
    std::unordered_map<const void*, Known> known_;
    std::uint64_t next_id_ = 1;
};

/// The text as a JSON string, quotes included. Bytes that are not ASCII go through as
/// they are, so valid UTF-8 stays valid.
std::string json_string(std::string_view text);

/// "fetcher.cpp".
std::string_view file_of(const std::source_location& at);

/// "fetcher.cpp:42".
std::string file_and_line(const std::source_location& at);

} // namespace common
