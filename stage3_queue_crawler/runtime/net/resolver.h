// Looks up host names without holding up the loop.
//
// `getaddrinfo` blocks: usually for a few milliseconds, but for half a minute if a name
// server is in trouble. libcurl calls it in a thread. But if a transfer is given up while
// that thread is busy, libcurl waits for the thread, and everything else waits for
// libcurl: the whole loop stops. So names are looked up here, and libcurl is given
// addresses; so is code that connects a stream by name. Page 22 of the book.
//
// The threads are not those of the executor. Waiting for one of those means waiting for
// something that will end soon; a lookup may not. So these threads are left behind when
// the program ends, and what they touch is theirs, or kept alive by them.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/loop/mailbox.h"
#include "stage3_queue_crawler/runtime/loop/move_only_function.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/future.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {

/// Belongs to one loop, and must be destroyed before it.
class Resolver {
  public:
    using Addresses = std::vector<common::Address>;
    using Answer = std::shared_ptr<const Addresses>;
    /// Blocks. Called in other threads, in several at once, and perhaps still running
    /// when the resolver is gone. Throws common::ResolveError, or std::bad_alloc.
    using LookUp = std::function<Addresses(const std::string& host)>;

    /// Calls `function` in a new thread. Throws std::system_error if none can be started.
    using StartThread = std::function<void(MoveOnlyFunction function)>;

    static constexpr std::chrono::seconds good_for{60}; ///< as long as libcurl keeps them

    /// Throws std::system_error if there is no descriptor left.
    Resolver(EventLoop& loop, LookUp look_up, std::size_t most_threads = 64,
             StartThread start_thread = detached_thread);
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;
    /// Doesn't wait for lookups. Tasks that wait for one get a ResolveError.
    ~Resolver();

    /// The addresses of a host, in the order in which they should be tried. A call made
    /// while a lookup of the same name is under way waits for that one. If a lookup
    /// fails, but an earlier one has not, the earlier answer is used. Throws
    /// common::ResolveError, and Timeout when the time is up.
    Coroutine<Answer> resolve(std::string host, TimeLimit limit);

    /// True if a lookup is under way.
    bool is_busy() const { return threads_.available() < most_threads_; }

  private:
    struct Name {
        Future<Answer> answer;
        Answer last;                             // of an earlier lookup, if there was one
        std::optional<Future<Permit>> turn = {}; // to get a thread
        std::unique_ptr<CancelAtExit> waits = {}; // for that
        std::optional<Permit> permit = {};        // while it has a thread
        EventLoop::TimePoint good_until = EventLoop::TimePoint::max();
    };

    /// What came of a lookup.
    struct Found {
        Answer answer;
        std::exception_ptr failure; // none: there is an answer
    };

    struct Find {
        std::string host;
        Found found;
    };

    static void detached_thread(MoveOnlyFunction function);
    static Found call(const LookUp& look_up, const std::string& host) noexcept;
    Future<Answer> ask(const std::string& host);
    void look_up(const std::string& host, Permit permit);
    void start_look_up(const std::string& host);
    void take_mail();
    void settle(const std::string& host, Found found);

    EventLoop& loop_;
    const LookUp look_up_;
    const std::size_t most_threads_;
    const StartThread start_thread_;
    Semaphore threads_;
    std::size_t running_ = 0; // threads whose answers are still to come
    // Shared with the threads, or rather with what they post.
    const std::shared_ptr<Mailbox> mailbox_;
    const std::shared_ptr<std::list<Find>> finds_; // only the loop's thread uses it
    std::unordered_map<std::string, Name> names_;
    std::vector<std::pair<std::string, Permit>> without_thread_; // none could be started
};

} // namespace stage3
