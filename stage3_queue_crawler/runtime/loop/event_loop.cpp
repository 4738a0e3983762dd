#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include "stage3_queue_crawler/runtime/loop/thread_pool.h"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace stage3 {

using common::Events;

namespace {

// The loop that runs in this thread. If it were an argument, every coroutine would have
// to pass it on to those that it calls.
thread_local EventLoop* running_here = nullptr;

constexpr std::string_view closed_too_early =
    "a descriptor was closed before its reader or writer was removed: call remove_reader "
    "and remove_writer first";

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
    selector_->register_fd(mailbox_->fd(), Events::read, 0);
    tracer_->watch_add(mailbox_->fd(), Events::read, "mailbox",
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

/// A descriptor or signal may come again before its callback has run.
void EventLoop::make_ready_once(const Handle& callback) {
    if (callback && !callback->queued())
        make_ready(callback);
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

// ---- Descriptors ----

Events EventLoop::events_of(const Watch& watch) {
    return (watch.reader ? Events::read : Events::none)
           | (watch.writer ? Events::write : Events::none);
}
Events EventLoop::events_of(Handle Watch::* which) {
    return which == &Watch::reader ? Events::read : Events::write;
}

bool EventLoop::is_watched(int fd, Handle Watch::* which) const {
    const auto found = watches_.find(fd);
    return found != watches_.end() && found->second.*which;
}

void EventLoop::add(int fd, Handle Watch::* which, const Handle& callback) {
    callback->is_for(fd);
    const auto [place, is_new] = watches_.try_emplace(fd); // what can fail comes first
    Watch& watch = place->second;
    const Events events = events_of(watch) | events_of(which);
    bool is_known = true;
    try {
        if (is_new)
            selector_->register_fd(fd, events, 0);
        else
            is_known = selector_->modify_fd(fd, events, 0);
    } catch (...) {
        if (is_new)
            watches_.erase(place);
        else
            forget(fd); // it was closed too early
        throw;
    }
    if (!is_known) { // what watched this number was meant for another descriptor
        forget(fd);
        add(fd, which, callback);
        report(closed_too_early, nullptr);
        return;
    }
    const Handle before = std::exchange(watch.*which, callback);
    if (before)
        tracer_->watch_remove(fd, events_of(which));
    tracer_->watch_add(fd, events_of(which), callback->name(), callback->at());
    before.cancel(); // it may be in the queue already
}

bool EventLoop::take_back(int fd, Handle Watch::* which) noexcept {
    if (!is_watched(fd, which))
        return false;
    Watch& watch = watches_.find(fd)->second;
    const Handle before = std::exchange(watch.*which, Handle());
    tracer_->watch_remove(fd, events_of(which));
    bool is_known = true;
    if (events_of(watch) == Events::none) {
        is_known = selector_->unregister_fd(fd);
        watches_.erase(fd);
    } else {
        try {
            is_known = selector_->modify_fd(fd, events_of(watch), 0);
        } catch (const std::exception&) { // or there is no memory to say what it is
            is_known = false;
        }
        if (!is_known)
            forget(fd);
    }
    if (!is_known)
        report(closed_too_early, nullptr);
    // Last, since it destroys what the function holds, and that may do anything.
    before.cancel();
    return true;
}

/// Nothing is called for `fd` any more.
void EventLoop::forget(int fd) noexcept {
    const auto found = watches_.find(fd);
    const Watch gone = std::move(found->second);
    watches_.erase(found);
    selector_->unregister_fd(fd);
    if (gone.reader)
        tracer_->watch_remove(fd, Events::read);
    if (gone.writer)
        tracer_->watch_remove(fd, Events::write);
    gone.reader.cancel();
    gone.writer.cancel();
}

// ---- Signals ----

void EventLoop::set_signal_handler(int number, Handle callback) {
    const auto [place, is_new] = signals_.try_emplace(number);
    try {
        mailbox_->watch_signal(number);
    } catch (...) {
        if (is_new)
            signals_.erase(place);
        throw;
    }
    std::exchange(place->second, std::move(callback)).cancel();
}

bool EventLoop::remove_signal_handler(int number) {
    const auto found = signals_.find(number);
    if (found == signals_.end())
        return false;
    const Handle before = std::move(found->second);
    signals_.erase(found);
    mailbox_->unwatch_signal(number);
    before.cancel(); // last, as above
    return true;
}

// ---- A turn ----

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

std::optional<common::Selector::Milliseconds> EventLoop::time_to_sleep() {
    using Milliseconds = common::Selector::Milliseconds;
    if (!ready_.empty() || stopping_ || mailbox_->has_mail())
        return Milliseconds(0);
    const auto next = timers_.next();
    if (!next)
        return std::nullopt; // until a descriptor wakes it
    // Rounded up: waking too early would mean sleeping again for no time at all, over and
    // over.
    const TimePoint now = time();
    return *next <= now ? Milliseconds(0) : std::chrono::ceil<Milliseconds>(*next - now);
}

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
        if (event.fd == mailbox_->fd()) {
            mailbox_->empty_pipe();
            for (const auto& [number, handler] : signals_)
                if (mailbox_->take_signal(number))
                    make_ready_once(handler);
            continue;
        }
        const auto found = watches_.find(event.fd);
        if (found == watches_.end())
            continue; // nothing is called for it any more
        const Watch& watch = found->second;
        if ((event.events & Events::read) != Events::none)
            make_ready_once(watch.reader);
        if ((event.events & Events::write) != Events::none)
            make_ready_once(watch.writer);
    }
}

void EventLoop::take_mail() {
    if (!mailbox_->has_mail())
        return;
    make_ready(mailbox_->take());
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
    while (!watches_.empty())
        forget(watches_.begin()->first);
    tracer_->watch_remove(mailbox_->fd(), Events::read);
    mailbox_->close();
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
    exception_handler_ =
        handler ? std::make_shared<const ExceptionHandler>(std::move(handler)) : nullptr;
}

void EventLoop::report(const Report& report) noexcept {
    try {
        if (const auto handler = exception_handler_) // shared, as it may replace itself
            (*handler)(report);
        else
            print(report);
    } catch (...) {
        print(report);
        print("the exception handler itself has thrown", std::current_exception());
    }
}

void EventLoop::report(std::string_view what, std::exception_ptr exception,
                       const std::vector<common::Place>& way) noexcept {
    try {
        report({.message = std::string(what),
                .exception = exception,
                .chain = {way.rbegin(), way.rend()}});
    } catch (const std::bad_alloc&) {
        // Short enough to need no memory.
        report({.message = "no memory", .exception = std::move(exception), .chain = {}});
    }
}

} // namespace stage3
