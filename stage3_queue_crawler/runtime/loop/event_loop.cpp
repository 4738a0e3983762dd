#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include "stage3_queue_crawler/runtime/loop/thread_pool.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace stage3 {

using common::Events;

namespace {

// The loop that runs in this thread. If it were an argument, every coroutine would have
// to pass it on to those that it calls.
thread_local EventLoop* running_here = nullptr;

} // namespace

EventLoop* running_loop_or_none() noexcept { return running_here; }

EventLoop& running_loop() {
    if (running_here == nullptr)
        throw std::logic_error("no event loop runs in this thread: call this from a "
                               "coroutine or a callback");
    return *running_here;
}

// ---- Members ----

LoopMember::LoopMember(EventLoop& loop) : loop_(&loop), next_(loop.members_) {
    loop.check_not_closed();
    if (next_ != nullptr)
        next_->previous_ = this;
    loop.members_ = this;
}

LoopMember::~LoopMember() {
    if (loop_ == nullptr)
        return;
    (previous_ == nullptr ? loop_->members_ : previous_->next_) = next_;
    if (next_ != nullptr)
        next_->previous_ = previous_;
}

// ---- The loop ----

EventLoop::EventLoop(LoopOptions options)
    : selector_(std::move(options.selector)),
      tracer_(options.tracer != nullptr ? options.tracer : &off_),
      clock_(std::move(options.clock)), random_(std::move(options.random)),
      threads_(options.threads) {
    selector_->register_fd(mailbox_.fd(), Events::read, 0);
    tracer_->watch_add(mailbox_.fd(), Events::read, "mailbox",
                       std::source_location::current());
}

// NOLINTNEXTLINE(bugprone-exception-escape): it throws if the loop runs, inside itself
EventLoop::~EventLoop() { close(); }

EventLoop::TimePoint EventLoop::time_after(Duration delay) const {
    // "In a very long time" must not become a time in the past, nor the other way round.
    const TimePoint now = time();
    if (delay > TimePoint::max() - now)
        return TimePoint::max();
    return now + std::max(delay, Duration(-std::chrono::hours(1)));
}

void EventLoop::make_ready(const Handle& callback) {
    callback->stand_in(ready_);
    if (tracer_->enabled()) [[unlikely]]
        callback->trace_ready(*tracer_);
}

void EventLoop::set_timer(TimePoint when, const Handle& callback) {
    timers_.add(when, callback);
    callback->has_timer();
    if (!tracer_->enabled()) [[likely]]
        return;
    const TimePoint now = time();
    const Duration delay = when <= now ? Duration::zero() : when - now;
    tracer_->timer_set(callback.operator->(), callback->name(), callback->at(), delay);
}

void EventLoop::call_soon_threadsafe(Function function, std::source_location at) {
    check_not_closed();
    mailbox_.put(std::move(function), at);
}

// ---- Descriptors ----

Events EventLoop::events_of(Handle Watch::* which) {
    return which == &Watch::reader ? Events::read : Events::write;
}

/// Sets the callbacks of `fd`, and tells the selector.
void EventLoop::watch(int fd, Watch watch) {
    const Events events = (watch.reader ? Events::read : Events::none)
                          | (watch.writer ? Events::write : Events::none);
    const auto found = watches_.find(fd);
    if (found == watches_.end()) {
        selector_->register_fd(fd, events, 0);
        watches_[fd] = std::move(watch);
        return;
    }
    try {
        if (events == Events::none)
            selector_->unregister_fd(fd);
        else
            selector_->modify_fd(fd, events, 0);
    } catch (...) {
        // It was closed too early. Forget it, since its number will be reused.
        selector_->unregister_fd(fd);
        trace_end_of(fd, found->second);
        watches_.erase(found);
        throw;
    }
    if (events == Events::none)
        watches_.erase(found);
    else
        found->second = std::move(watch);
}

/// Traces that nothing is called for `fd` any more.
void EventLoop::trace_end_of(int fd, const Watch& watch) {
    if (watch.reader)
        tracer_->watch_remove(fd, Events::read);
    if (watch.writer)
        tracer_->watch_remove(fd, Events::write);
}

void EventLoop::add(int fd, Handle Watch::* which, const Handle& callback) {
    callback->is_for(fd);
    const auto found = watches_.find(fd);
    Watch changed = found == watches_.end() ? Watch() : found->second;
    const Handle before = std::exchange(changed.*which, callback);
    watch(fd, std::move(changed));
    if (before)
        tracer_->watch_remove(fd, events_of(which));
    tracer_->watch_add(fd, events_of(which), callback->name(), callback->at());
    before.cancel(); // it may be in the queue already
}

bool EventLoop::take_back(int fd, Handle Watch::* which) {
    const auto found = watches_.find(fd);
    if (found == watches_.end() || !(found->second.*which))
        return false;
    Watch rest = found->second;
    const Handle before = std::exchange(rest.*which, Handle());
    watch(fd, std::move(rest));
    tracer_->watch_remove(fd, events_of(which));
    // Last, since it destroys what the function holds, and that may do anything.
    before.cancel();
    return true;
}

void EventLoop::add_reader(int fd, Function function, std::source_location at) {
    add(fd, &Watch::reader,
        make_callback(std::move(function), "reader", at, Callback::Times::often));
}
void EventLoop::add_writer(int fd, Function function, std::source_location at) {
    add(fd, &Watch::writer,
        make_callback(std::move(function), "writer", at, Callback::Times::often));
}
bool EventLoop::remove_reader(int fd) { return take_back(fd, &Watch::reader); }
bool EventLoop::remove_writer(int fd) { return take_back(fd, &Watch::writer); }

// ---- Signals ----

void EventLoop::add_signal_handler(int number, Function function,
                                   std::source_location at) {
    auto callback =
        make_callback(std::move(function), "signal", at, Callback::Times::often);
    mailbox_.watch_signal(number);
    std::exchange(signals_[number], std::move(callback)).cancel();
}

bool EventLoop::remove_signal_handler(int number) {
    const auto found = signals_.find(number);
    if (found == signals_.end())
        return false;
    const Handle before = std::move(found->second);
    signals_.erase(found);
    mailbox_.unwatch_signal(number);
    before.cancel(); // last, as above
    return true;
}

// ---- A turn ----

// [turn]
void EventLoop::turn() {
    ask_selector();
    take_mail();
    if (timers_.size() > 0)
        make_ready(timers_.take_due(time()));
    // Whatever these put into the queue runs in the next turn.
    now_.append(std::move(ready_));
    while (!now_.empty())
        now_.pop().run();
}
// [/turn]

// [time-to-sleep]
std::optional<common::Selector::Milliseconds> EventLoop::time_to_sleep() {
    using Milliseconds = common::Selector::Milliseconds;
    if (!ready_.empty() || stopping_ || mailbox_.has_mail())
        return Milliseconds(0);
    const auto next = timers_.next();
    if (!next)
        return std::nullopt; // until a descriptor wakes it
    // Rounded up: waking too early would mean sleeping again for no time at all, over and
    // over.
    const TimePoint now = time();
    return *next <= now ? Milliseconds(0) : std::chrono::ceil<Milliseconds>(*next - now);
}
// [/time-to-sleep]

void EventLoop::ask_selector() {
    const auto timeout = time_to_sleep();
    // If it won't sleep, and no descriptor or signal is watched, there is nothing to ask.
    // That saves a system call in each turn of a loop that only computes.
    if (timeout && timeout->count() == 0 && watches_.empty() && signals_.empty()) {
        tracer_->select(timeout, 0);
        return;
    }
    tracer_->select(timeout, watches_.size() + 1); // plus the mailbox
    const auto ready = selector_->select(timeout);
    tracer_->awake(ready.size());
    for (const common::Ready& event : ready) {
        tracer_->ready(event);
        if (event.fd == mailbox_.fd()) {
            mailbox_.empty_pipe();
            for (const auto& [number, handler] : signals_)
                if (mailbox_.take_signal(number) && !handler->queued())
                    make_ready(handler);
            continue;
        }
        const auto found = watches_.find(event.fd);
        if (found == watches_.end())
            continue; // closed without being unregistered, and still open elsewhere
        const Watch& watch = found->second;
        if ((event.events & Events::read) != Events::none && watch.reader)
            make_ready(watch.reader);
        if ((event.events & Events::write) != Events::none && watch.writer)
            make_ready(watch.writer);
    }
}

void EventLoop::take_mail() {
    if (!mailbox_.has_mail())
        return;
    for (Mailbox::Letter& letter : mailbox_.take())
        make_ready(
            make_callback(std::move(letter.function), "call_soon_threadsafe", letter.at));
}

void EventLoop::check_can_run() const {
    check_not_closed();
    if (running_here != nullptr)
        throw std::logic_error("an event loop runs in this thread already, and a second "
                               "one inside it would hold it up: co_await what you want "
                               "to wait for");
}

void EventLoop::run_forever() {
    check_can_run();
    class Running { // reset even if an exception ends it
      public:
        explicit Running(EventLoop& loop) : loop_(loop) {
            running_here = &loop;
            loop.running_ = true;
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        ~Running() {
            loop_.stopping_ = false;
            loop_.running_ = false;
            running_here = nullptr;
        }

      private:
        EventLoop& loop_;
    };
    const Running here(*this);
    do {
        turn();
        turns_.fetch_add(1, std::memory_order_relaxed);
    } while (!stopping_);
}

void EventLoop::close() {
    if (running_)
        throw std::logic_error("an event loop that runs can't be closed: stop it first");
    if (closed_)
        return;
    if (thread_pool_)
        thread_pool_->join();
    closed_ = true;
    thread_pool_.reset(); // with the jobs that have not begun
    while (!signals_.empty())
        remove_signal_handler(signals_.begin()->first);
    ready_.clear();
    timers_.clear();
    while (!watches_.empty()) {
        const auto one = watches_.begin();
        const Watch gone = one->second;
        selector_->unregister_fd(one->first);
        trace_end_of(one->first, gone);
        watches_.erase(one);
        gone.reader.drop();
        gone.writer.drop();
    }
    tracer_->watch_remove(mailbox_.fd(), Events::read);
    mailbox_.take();
    // Each of these may destroy others.
    while (members_ != nullptr) {
        LoopMember& member = *members_;
        members_ = member.next_;
        if (members_ != nullptr)
            members_->previous_ = nullptr;
        member.loop_ = nullptr;
        member.on_close(*this);
    }
}

ThreadPool& EventLoop::thread_pool() {
    check_not_closed();
    if (!thread_pool_)
        thread_pool_ = std::make_unique<ThreadPool>(threads_);
    return *thread_pool_;
}

std::optional<EventLoop::Duration> EventLoop::until_next_timer() {
    const auto next = timers_.next();
    if (!next)
        return std::nullopt;
    return std::max(*next - time(), Duration::zero());
}

bool EventLoop::has_busy_thread() { return thread_pool_ && thread_pool_->is_busy(); }

// ---- Reports ----

void EventLoop::set_exception_handler(ExceptionHandler handler) {
    exception_handler_ = handler ? std::move(handler) : ExceptionHandler(print);
}

void EventLoop::report(const Report& report) noexcept {
    try {
        const ExceptionHandler handler = exception_handler_; // it may replace itself
        handler(report);
    } catch (...) {
        print(report);
        print({.message = "the exception handler itself has thrown",
               .exception = std::current_exception(),
               .chain = {}});
    }
}

} // namespace stage3
