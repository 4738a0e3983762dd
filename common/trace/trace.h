// What happened, in order: a program's events, one JSON object a line.
//
// In asynchronous code the interesting question is *when*: which callback ran in which
// turn of the loop, and what was ready before it. A debugger that stops the program also
// stops the clock. A trace does neither: each event is written down as it happens, and
// read afterwards. All stages use the same words, so that their traces can be laid side
// by side.
//
// Every event has `t`, microseconds since the tracer was made; `turn`, how often the loop
// has turned; `event`; and, where known, `at`, a source file and line, such as
// "stage2_coroutines/task.h:42" (or a file, of a coroutine that has reached no line that
// is known). The first event is "trace", with the version of these
// words and the program's name; the last one is "end", unless the trace was cut off.
#pragma once

#include "common/system/selector.h"
#include "common/trace/place.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace common {

/// Writes a run's events to a file. A Tracer made without a file is off, and each of its
/// calls then costs one branch that the processor predicts.
class Tracer {
  public:
    /// A tracer that is off.
    Tracer() = default;

    /// Says what time it is.
    using Clock = std::function<std::chrono::steady_clock::time_point()>;

    /// Writes to `path`, from its beginning. `program` is told in the first line, and the
    /// times are the clock's. Throws std::system_error if it can't be opened.
    Tracer(const std::string& path, std::string_view program,
           Clock clock = std::chrono::steady_clock::now);
    Tracer(Tracer&&) = default;
    Tracer& operator=(Tracer&&) = default;
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    ~Tracer(); // ends it, as `close` does

    bool enabled() const { return file_ != nullptr; }

    /// Ends the trace. Returns why it is not whole, if it isn't: perhaps the disk is
    /// full. It ends by itself then, and whatever is traced goes on.
    std::error_code close();

    /// A new turn of the event loop begins: it waits on `watched` descriptors. (None: it
    /// need not ask, and "awake" doesn't follow.)
    void select(std::optional<Selector::Milliseconds> timeout, std::size_t watched) {
        ++turn_;
        if (enabled()) [[unlikely]]
            write_select(timeout, watched);
    }

    /// The loop is awake: so many descriptors are ready. None: a timer is due, or it's
    /// told to look after something else.
    void awake(std::size_t ready) {
        if (enabled()) [[unlikely]]
            write_awake(ready);
    }

    /// The selector says that a descriptor is ready.
    void ready(const Ready& ready) {
        if (enabled()) [[unlikely]]
            write_ready(ready);
    }

    /// From now on, `fd` is watched for `events`; and no more.
    void watch_add(int fd, Events events, std::string_view name,
                   const std::source_location& at) {
        if (enabled()) [[unlikely]]
            write_watch_add(fd, events, name, at);
    }
    void watch_remove(int fd, Events events) {
        if (enabled()) [[unlikely]]
            write_watch_remove(fd, events);
    }

    // What shall run later, in a loop that has a queue for that. Addresses only tell one
    // from another. That a task goes on when its future is done is told in
    // `schedule_task`, and not with the future.

    /// Stands in the queue of what is ready.
    void schedule_task(const void* task) {
        if (enabled()) [[unlikely]]
            write_task_scheduled(task);
    }
    void schedule_call(const void* call, std::string_view name,
                       const std::source_location& at) {
        if (enabled()) [[unlikely]]
            write_call_scheduled(call, name, at);
    }
    /// A call that stands there will not be made.
    void schedule_cancel(const void* call) {
        if (enabled()) [[unlikely]]
            write_call(call, "schedule", "cancel");
    }
    /// It is to be called after so long; its time has come; it's not to be called.
    void timer_set(const void* call, std::string_view name,
                   const std::source_location& at, std::chrono::nanoseconds delay) {
        if (enabled()) [[unlikely]]
            write_timer_set(call, name, at, delay);
    }
    void timer_due(const void* call) {
        if (enabled()) [[unlikely]]
            write_call(call, "timer", "due");
    }
    void timer_cancel(const void* call) {
        if (enabled()) [[unlikely]]
            write_call(call, "timer", "cancel");
    }

    /// A callback runs, as long as this lives: also if it throws.
    class CallbackRuns {
      public:
        /// It was registered at `at`. Without a name, it isn't told of. `fd`: what it was
        /// called for; -1: no descriptor. Then `call` is what was scheduled; nullptr:
        /// nothing.
        CallbackRuns(Tracer& tracer, std::string_view name,
                     const std::source_location& at, int fd = -1,
                     const void* call = nullptr)
            : tracer_(tracer), name_(name), at_(at), fd_(fd), call_(call) {
            if (tracer_.enabled()) [[unlikely]]
                begin();
        }
        CallbackRuns(const CallbackRuns&) = delete;
        CallbackRuns& operator=(const CallbackRuns&) = delete;
        ~CallbackRuns() { // NOLINT(bugprone-exception-escape): if memory is used up
            if (tracer_.enabled()) [[unlikely]]
                end();
        }

      private:
        void begin();
        void end() const;

        Tracer& tracer_;
        std::string_view name_;
        const std::source_location& at_;
        int fd_;
        const void* call_;
        int exceptions_ = 0; // under way when it began
    };

    /// A fetch begins. `id` tells the fetches of one run apart. `fd`: its socket, if it
    /// has one.
    void fetch_start(std::uint64_t id, std::string_view url, int fd = -1) {
        if (enabled()) [[unlikely]]
            write_fetch_start(id, url, fd);
    }
    /// What has come of a fetch.
    struct Fetched {
        int status = 0;             ///< 0: there was no answer
        std::size_t bytes = 0;      ///< so far, where it failed
        std::string_view next = {}; ///< where it leads on; empty: nowhere
        std::string_view error = {};
    };
    void fetch_end(std::uint64_t id, std::string_view url, const Fetched& fetched) {
        if (enabled()) [[unlikely]]
            write_fetch_end(id, url, fetched);
    }

    // Tasks and futures. Their addresses only tell one from another. A task that is a
    // future, too, has one address for both.

    /// A task is made; `first` is the first of its coroutines.
    void task_new(const void* task, std::string_view name, const Place& first) {
        if (enabled()) [[unlikely]]
            write_task_new(task, name, first);
    }
    /// It goes on with this step; or is asked to end.
    void task_step(const void* task) {
        if (enabled()) [[unlikely]]
            write_task(task, "step");
    }
    void task_cancel(const void* task) {
        if (enabled()) [[unlikely]]
            write_task(task, "cancel");
    }
    /// It waits for `future`, or for the next turn, if that is nullptr. `chain`: where;
    /// its coroutines, the outermost first.
    void task_suspend(const void* task, const void* future,
                      const std::vector<Place>& chain) {
        if (enabled()) [[unlikely]]
            write_task_suspend(task, future, chain);
    }
    /// It has ended: "returned", "threw", "cancelled"; or was "destroyed" before.
    void task_done(const void* task, std::string_view outcome) {
        if (enabled()) [[unlikely]]
            write_task_done(task, outcome);
    }
    /// A coroutine of this task calls another one, and waits for it; that one ends.
    void coroutine_call(const void* task, const Place& caller, const Place& called) {
        if (enabled()) [[unlikely]]
            write_coroutine(task, "call", called, caller);
    }
    void coroutine_return(const void* task, const Place& caller, const Place& called) {
        if (enabled()) [[unlikely]]
            write_coroutine(task, "return", called, caller);
    }

    /// A step of a conversation with a generator.
    struct GeneratorEvent {
        /// "new"; then, for each call: "next", "send" or "throw", with the word that goes
        /// in; "resume", if the generator goes on; "take", if the co_yield where it stood
        /// has taken the word (only told when it stops again); "yield" or "end", where it
        /// stops; and "reply". In the end "gone", with its frame.
        std::string_view phase;
        std::string_view word = {}; ///< as one would write it; empty: none
        std::string_view how = {};  ///< "end": "returned" or "threw". "reply": that, or
                                    ///< "yielded", or "over", if it had ended before
        const std::source_location* at = nullptr; ///< the call, and its reply
        std::vector<Place> chain = {}; ///< "new" and where it stops: as in `task_suspend`
        std::optional<int> number = {}; ///< of the place where it goes on, if known
    };
    /// For who talks with a generator without a task. What this one calls is told with
    /// `coroutine_call`.
    void generator(const void* generator, const GeneratorEvent& event) {
        if (enabled()) [[unlikely]]
            write_generator(generator, event);
    }

    /// A future is made, at `at`.
    void future_new(const void* future, const std::source_location& at) {
        if (enabled()) [[unlikely]]
            write_future_new(future, &at);
    }
    /// The same, for who knows of it only when it's waited for. Written down once.
    void future_met(const void* future) {
        if (enabled()) [[unlikely]]
            write_future_met(future);
    }
    /// What has become of a future: "resolve", "fail" or "cancel". `waiters`: how many
    /// wait for it; none: as many as were told of. Written down once.
    void future_end(const void* future, std::string_view phase,
                    std::optional<std::size_t> waiters = {}) {
        if (enabled()) [[unlikely]]
            write_future_end(future, phase, waiters);
    }

    /// How a queue stands.
    struct Queue {
        std::uint64_t id;       ///< from `new_id`
        std::size_t size;       ///< items in it
        std::size_t unfinished; ///< of those that came in
        std::size_t getters;    ///< who wait
        std::size_t putters;
    };
    /// What has happened to it.
    struct QueueEvent {
        /// "put", "get", "wait_to_get", "wait_to_put", "hand_over" (past the queue, to
        /// one who waits for an item), "let_in" (one who waits for room), "give_back" (by
        /// one who was handed an item, and was cancelled; "hand_over" or "put_back"
        /// follows), "take_back" (out of the queue, by one who was let in, and was
        /// cancelled), "task_done" or "join".
        std::string_view phase;
        std::string_view item = {};   ///< in words; empty: it has none
        const void* future = nullptr; ///< of the one who waits; nullptr: nobody does
    };
    void queue(const QueueEvent& event, const Queue& queue) {
        if (enabled()) [[unlikely]]
            write_queue(event, queue);
    }

    /// A number that nothing else in this trace has.
    std::uint64_t new_id() { return next_id_++; }

  private:
    struct CloseFile {
        void operator()(std::FILE* file) const {
            static_cast<void>(std::fclose(file)); // a destructor can't complain
        }
    };

    void write(std::string_view event, std::string_view fields);
    void fail();
    void write_select(std::optional<Selector::Milliseconds> timeout, std::size_t watched);
    void write_end();
    void write_awake(std::size_t ready);
    void write_ready(const Ready& ready);
    void write_watch_add(int fd, Events events, std::string_view name,
                         const std::source_location& at);
    void write_watch_remove(int fd, Events events);
    void write_callback(std::string_view phase, std::string_view name,
                        const std::source_location& at, std::string_view more);
    void write_task_scheduled(const void* task);
    void write_call_scheduled(const void* call, std::string_view name,
                              const std::source_location& at);
    void write_timer_set(const void* call, std::string_view name,
                         const std::source_location& at, std::chrono::nanoseconds delay);
    void write_call(const void* call, std::string_view event, std::string_view phase);
    void write_task_new(const void* task, std::string_view name, const Place& first);
    void write_task(const void* task, std::string_view phase);
    void write_task_suspend(const void* task, const void* future,
                            const std::vector<Place>& chain);
    void write_task_done(const void* task, std::string_view outcome);
    void write_coroutine(const void* task, std::string_view phase, const Place& called,
                         const Place& caller);
    void write_generator(const void* generator, const GeneratorEvent& event);
    void write_future_new(const void* future, const std::source_location* at);
    void write_future_met(const void* future);
    void write_future_end(const void* future, std::string_view phase,
                          std::optional<std::size_t> waiters);
    void write_queue(const QueueEvent& event, const Queue& queue);
    void write_fetch_start(std::uint64_t id, std::string_view url, int fd);
    void write_fetch_end(std::uint64_t id, std::string_view url, const Fetched& fetched);

    std::unique_ptr<std::FILE, CloseFile> file_;
    std::error_code error_;
    Clock clock_;
    std::chrono::steady_clock::time_point start_{};
    std::uint64_t turn_ = 0;

    // Tasks and pending futures, by address. When one is gone, its address may be used
    // again; a number never is.
    struct Known {
        std::uint64_t id;
        std::size_t waiters = 0;     // that were told of
        const void* waits = nullptr; // a task, for this future
        bool is_task = false;
    };
    std::unordered_map<const void*, Known> known_;
    std::vector<std::uint64_t> stepping_; // tasks on the stack, the innermost last
    std::unordered_map<const void*, std::uint64_t> calls_; // that are to run: numbers
    std::uint64_t next_id_ = 1;
};

/// The text as a JSON string, quotes included. Bytes that are not ASCII go through as
/// they are, so valid UTF-8 stays valid.
std::string json_string(std::string_view text);

/// "fetcher.cpp".
std::string_view file_of(const std::source_location& at);

/// "fetcher.cpp:42".
std::string file_and_line(const std::source_location& at);

/// "stage2_coroutines/fetcher.cpp": as seen from the repository's root, wherever it was
/// compiled.
const std::string& path_of(const std::source_location& at);

/// "stage2_coroutines/fetcher.cpp:42".
std::string path_and_line(const std::source_location& at);

} // namespace common
