// Names of hosts, looked up where that holds up nobody.
//
// `getaddrinfo` blocks: mostly for a few milliseconds, and for half a minute when a name
// server is ill. libcurl calls it in a thread. But when a transfer is given up while that
// thread is at it, libcurl waits for the thread, and everybody waits for libcurl: the
// whole loop stands still. So names are looked up here, and libcurl is handed addresses;
// as is whoever connects a stream by name. Page 22 of the book.
//
// The threads are not those of the executor. Whoever waits for that one's threads waits
// for what will end soon; a lookup may not. So these are left behind when the program
// ends, and what they touch is theirs, or kept alive by them.
#pragma once

#include "common/system/socket.h"
#include "stage3_queue_crawler/runtime/loop/mailbox.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/future.h"
#include "stage3_queue_crawler/runtime/task/wait.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {

/// In one loop; it must be destroyed before that.
class Resolver {
  public:
    using Addresses = std::vector<common::Address>;
    using Answer = std::shared_ptr<const Addresses>;
    /// Blocks. Called in other threads, in several at once, and perhaps still running
    /// when the resolver is gone. Throws common::ResolveError.
    using LookUp = std::function<Addresses(const std::string& host)>;

    /// Calls it in a new thread. Throws std::system_error if there is none to be had.
    using StartThread = std::function<void(std::function<void()> function)>;

    static constexpr std::chrono::seconds good_for{60}; ///< as libcurl keeps them

    /// Throws std::system_error if there is no descriptor left.
    Resolver(EventLoop& loop, LookUp look_up, std::size_t most_threads = 64,
             StartThread start_thread = detached_thread);
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;
    /// Waits for no lookup. Who waits for one gets a ResolveError.
    ~Resolver();

    /// The addresses of a host, in the order in which they should be tried. Who asks
    /// while a lookup of the same name is under way waits for that one. If a lookup
    /// fails, and an earlier one has not, its answer must do. Throws
    /// common::ResolveError, and Timeout when the time is over.
    Coroutine<Answer> resolve(std::string host, TimeLimit limit);

    /// True if a lookup is under way.
    bool is_busy() const { return threads_.available() < most_threads_; }

  private:
    struct Name {
        Future<Answer> answer;
        Answer last;                             // of an earlier lookup, if there was one
        std::optional<Future<Permit>> turn = {}; // to have a thread
        std::unique_ptr<CancelAtExit> waits = {}; // for that
        std::optional<Permit> permit = {};        // as long as it has one
        EventLoop::TimePoint good_until = EventLoop::TimePoint::max();
    };

    /// What came of a lookup.
    struct Found {
        Addresses addresses;
        std::optional<common::ResolveError> failure;
    };

    struct Find {
        std::string host;
        Found found;
    };

    static void detached_thread(std::function<void()> function);
    static Found call(const LookUp& look_up, const std::string& host) noexcept;
    Future<Answer> ask(const std::string& host);
    void look_up(const std::string& host, Permit permit);
    void take_mail();
    void settle(const std::string& host, Found found);

    EventLoop& loop_;
    const LookUp look_up_;
    const std::size_t most_threads_;
    const StartThread start_thread_;
    Semaphore threads_;
    std::size_t running_ = 0; // threads whose letters are still to come
    // Shared with the threads, or rather: with what they post.
    const std::shared_ptr<Mailbox> mailbox_;
    const std::shared_ptr<std::vector<Find>> finds_; // the loop's thread touches it
    std::unordered_map<std::string, Name> names_;
    std::vector<std::pair<std::string, Permit>> without_thread_; // none was to be had
};

} // namespace stage3
