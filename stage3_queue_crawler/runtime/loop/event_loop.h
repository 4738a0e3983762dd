// The event loop: what runs when.
//
// All that stage 1's loop does is call back when a descriptor is ready. This one also has
// a queue of what is ready to run, timers, and a mailbox for other threads. It works in
// turns. In each turn it asks the selector once, moves the timers that are due into the
// queue, and then runs what is in the queue *at that moment*. Whatever these put into the
// queue runs in the next turn, so however busy the tasks are with each other, sockets and
// timers get their turn. Page 10 of the book.
//
// It never resumes a coroutine: task/future.h and task/task.h build on it.
//
// Without memory: what asks the loop for something (call_soon, call_later, add_reader)
// throws, and then nothing has changed. A turn needs no memory, and neither do the
// functions that take something back. What is queued runs once, and nothing is lost.
// With a trace, none of this holds, since each of its lines needs memory.
#pragma once

#include "common/system/selector.h"
#include "common/trace/trace.h"
#include "stage3_queue_crawler/runtime/loop/callback.h"
#include "stage3_queue_crawler/runtime/loop/errors.h"
#include "stage3_queue_crawler/runtime/loop/mailbox.h"
#include "stage3_queue_crawler/runtime/loop/report.h"
#include "stage3_queue_crawler/runtime/loop/run_queue.h"
#include "stage3_queue_crawler/runtime/loop/timers.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <source_location>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stage3 {

class EventLoop;
class ThreadPool;

/// Something that belongs to a loop, such as a future: the loop notifies it when it
/// closes.
class LoopMember {
  public:
    explicit LoopMember(EventLoop& loop);
    LoopMember(const LoopMember&) = delete;
    LoopMember& operator=(const LoopMember&) = delete;

    /// The loop that it belongs to; nullptr once that is closed.
    EventLoop* loop() const { return loop_; }

  protected:
    virtual ~LoopMember();
    /// The loop is closing: it will run nothing more. May destroy this object.
    virtual void on_close(EventLoop& loop) noexcept = 0;

  private:
    friend class EventLoop;
    EventLoop* loop_;
    LoopMember* next_;
    LoopMember* previous_ = nullptr;
};

/// A number that nobody can predict, from the system.
inline std::uint32_t draw_number() { return std::random_device{}(); }

/// For a loop that differs from the default.
struct LoopOptions {
    std::unique_ptr<common::Selector> selector = common::make_selector();
    common::Tracer* tracer = nullptr; ///< must outlive the loop
    std::function<Timers::TimePoint()> clock = std::chrono::steady_clock::now;
    std::size_t threads = 4; ///< at most, for what would block
    std::function<std::uint32_t()> random = draw_number;
};

class EventLoop {
  public:
    using TimePoint = Timers::TimePoint;
    using Duration = TimePoint::duration;
    using ExceptionHandler = std::function<void(const Report&)>;

    /// Throws std::system_error if there is no descriptor left.
    explicit EventLoop(LoopOptions options = {});
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;
    /// Closes it.
    ~EventLoop();

    // ---- What to call, and when. Each throws LoopClosed if the loop is closed. ----

    /// In the next turn.
    template <class F>
    Handle call_soon(F function,
                     std::source_location at = std::source_location::current()) {
        Handle callback = make_callback(std::move(function), "call_soon", at);
        make_ready(callback);
        return callback;
    }
    /// After `delay`; not earlier, and perhaps a millisecond later.
    template <class F>
    Handle call_later(Duration delay, F function,
                      std::source_location at = std::source_location::current()) {
        return call_at(time_after(delay), std::move(function), at);
    }
    /// When `time()` reaches `when`.
    template <class F>
    Handle call_at(TimePoint when, F function,
                   std::source_location at = std::source_location::current()) {
        Handle callback = make_callback(std::move(function), "timer", at);
        set_timer(when, callback);
        return callback;
    }
    /// Soon, and from any thread: after what call_soon has queued by then. The loop may
    /// be closed by then, but not destroyed: a thread that may outlive it uses `mailbox`.
    template <class F>
    void call_soon_threadsafe(F function,
                              std::source_location at = std::source_location::current()) {
        if (!mailbox_->put(write_letter(std::move(function), "call_soon_threadsafe", at)))
            throw LoopClosed();
    }
    /// Where other threads leave letters for the loop. It may outlive the loop, and
    /// refuses them once the loop is closed.
    std::shared_ptr<Mailbox> mailbox() const { return mailbox_; }

    /// In each turn in which `fd` can be read, or written. Replaces the function that was
    /// set before. Throws as Selector::register_fd does.
    template <class F>
    void add_reader(int fd, F function,
                    std::source_location at = std::source_location::current()) {
        add(fd, &Watch::reader,
            make_callback(std::move(function), "reader", at, Callback::Times::often));
    }
    template <class F>
    void add_writer(int fd, F function,
                    std::source_location at = std::source_location::current()) {
        add(fd, &Watch::writer,
            make_callback(std::move(function), "writer", at, Callback::Times::often));
    }
    /// No longer, not even in this turn. False if there was none. Do it before you close
    /// the descriptor: if you don't, that is reported, as soon as the selector notices.
    /// (Only epoll does.)
    bool remove_reader(int fd) noexcept { return take_back(fd, &Watch::reader); }
    bool remove_writer(int fd) noexcept { return take_back(fd, &Watch::writer); }
    bool has_reader(int fd) const { return is_watched(fd, &Watch::reader); }
    bool has_writer(int fd) const { return is_watched(fd, &Watch::writer); }

    /// False if this descriptor's number is too high for the loop's selector.
    bool can_watch(int fd) const { return selector_->can_watch(fd); }

    /// When the signal comes: in a turn, like any other function, and not in the middle
    /// of another one. Throws std::invalid_argument if there is no such signal, if it
    /// can't be caught, or if another loop has it.
    template <class F>
    void add_signal_handler(int number, F function,
                            std::source_location at = std::source_location::current()) {
        set_signal_handler(number, make_callback(std::move(function), "signal", at,
                                                 Callback::Times::often));
    }
    bool remove_signal_handler(int number);

    // ---- Running. ----

    /// Runs until it is stopped. If it was stopped before, it makes one turn, without
    /// waiting. Throws std::logic_error if a loop already runs in this thread.
    void run_forever();
    /// Ends the loop after this turn.
    void stop() { stopping_ = true; }
    bool running() const { return running_; }
    /// Throws LoopClosed if it is closed, and std::logic_error if a loop already runs in
    /// this thread.
    void check_can_run() const;

    /// Nothing will run any more: what is ready is dropped, threads are waited for, and
    /// its members are notified. A task that is not done is reported, its coroutine is
    /// destroyed, and it stays pending. Throws std::logic_error if the loop is running.
    void close();
    bool closed() const { return closed_; }

    /// The loop's clock: the time since some moment in the past.
    TimePoint time() const { return clock_(); }
    /// A random number, to begin others with. All that is left to chance in this loop's
    /// tasks begins here, so that one seed decides it all.
    std::uint32_t random() const { return random_(); }

    // ---- Errors that nothing catches. ----

    /// Without one, reports are printed on stderr.
    void set_exception_handler(ExceptionHandler handler);
    /// Never throws: if the handler does, both are printed.
    void report(const Report& report) noexcept;
    /// The same. `way`: the coroutines that the exception has left, the innermost first.
    /// Without memory, the report says only that, and has the exception.
    void report(std::string_view what, std::exception_ptr exception,
                const std::vector<common::Place>& way = {}) noexcept;

    // ---- For futures and tasks. ----

    /// A callback that is in no queue yet. Throws LoopClosed.
    template <class F>
    Handle make_callback(F function, std::string_view name, std::source_location at,
                         Callback::Times times = Callback::Times::once) {
        check_not_closed();
        return Handle(
            make_ref<CallbackTo<F>>(*this, std::move(function), times, name, at));
    }
    /// `one`, or each of `all`, will run in the next turn.
    void make_ready(Runnable& one) {
        ready_.push(one);
        if (tracer_->enabled()) [[unlikely]]
            one.trace_ready(*tracer_);
    }
    void make_ready(RunQueue&& all) {
        if (tracer_->enabled()) [[unlikely]]
            all.for_each([this](const Runnable& one) { one.trace_ready(*tracer_); });
        ready_.append(std::move(all));
    }
    /// The members of this loop, the newest first; then `next`. nullptr: no more.
    LoopMember* first_member() const { return members_; }
    static LoopMember* next(const LoopMember& member) { return member.next_; }

    // ---- For people: what can still happen, apart from signals and what other threads
    // may do. ----

    /// How many descriptors are watched.
    std::size_t watched() const { return watches_.size(); }
    /// How long it is until the next timer is due; none if there is no timer.
    std::optional<Duration> until_next_timer();
    /// True if a function or a task will run in the next turn, or later in this one.
    bool has_ready() const {
        return !ready_.empty() || !now_.empty() || mailbox_->has_mail();
    }
    /// True if a thread of the pool is busy.
    bool has_busy_thread();

    ThreadPool& thread_pool();
    common::Tracer& tracer() const { return *tracer_; }
    /// How many timers there are, including cancelled ones that are still here.
    std::size_t timers() const { return timers_.size(); }
    /// How many turns it has made. From any thread. If that grows while nothing happens,
    /// something keeps asking to be called.
    std::uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }

  private:
    friend class LoopMember;
    struct Watch {
        Handle reader, writer;
    };

    void turn();
    std::optional<common::Selector::Milliseconds> time_to_sleep();
    void ask_selector();
    void take_mail();
    TimePoint time_after(Duration delay) const;
    void make_ready(const Handle& callback);
    void make_ready_once(const Handle& callback);
    void set_timer(TimePoint when, const Handle& callback);
    static common::Events events_of(const Watch& watch);
    static common::Events events_of(Handle Watch::* which);
    bool is_watched(int fd, Handle Watch::* which) const;
    void add(int fd, Handle Watch::* which, const Handle& callback);
    bool take_back(int fd, Handle Watch::* which) noexcept;
    void forget(int fd) noexcept;
    void set_signal_handler(int number, Handle callback);
    void check_not_closed() const {
        if (closed_)
            throw LoopClosed();
    }

    std::unique_ptr<common::Selector> selector_;
    common::Tracer off_;
    common::Tracer* tracer_;
    std::function<TimePoint()> clock_;
    std::function<std::uint32_t()> random_;
    std::size_t threads_;
    std::shared_ptr<const ExceptionHandler> exception_handler_; // none: print

    RunQueue ready_; // what runs in the next turn
    RunQueue now_;   // and in this one
    Timers timers_;
    std::unordered_map<int, Watch> watches_; // by descriptor
    const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
    std::map<int, Handle> signals_; // by number
    std::unique_ptr<ThreadPool> thread_pool_;
    LoopMember* members_ = nullptr;

    std::atomic<std::uint64_t> turns_ = 0;
    bool running_ = false;
    bool stopping_ = false;
    bool closed_ = false;
};

/// The loop that runs in this thread. Throws std::logic_error if there is none.
///
/// There may be many loops, each in its own thread, so this is one variable per thread,
/// and not one loop for all.
EventLoop& running_loop();
/// The same, or nullptr if there is none.
EventLoop* running_loop_or_none() noexcept;

} // namespace stage3
