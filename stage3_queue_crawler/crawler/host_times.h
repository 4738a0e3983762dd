// Why a crawl took as long as it did: for each host, what limited it for how long, and
// how its server answered.
//
// These are only the numbers. time_account.h finds them while a crawl runs, and the
// program shows them. Page 32 of the book.
#pragma once

#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace stage3 {

/// What a host's URLs wait for.
enum class Limit : std::uint8_t {
    workers,       ///< all are busy, while its URLs are ready
    bodies,        ///< the same, and what they do is receive bodies
    loop_thread,   ///< is busy nearly all the time
    parse_threads, ///< are, all of them
    processors,    ///< are, all of this machine's
    output,        ///< the results are not read, or kept, as fast as they come
    refusals,      ///< it has refused requests, so it gets fewer, or none for a while
    crawl_delay,   ///< its robots.txt wants pauses
    foreign_pause, ///< a foreign server gets pauses
    one_by_one,    ///< and one request at a time, so they wait for its last answer
    delay,         ///< the user wants pauses
    max_per_host,  ///< the user wants no more at once
    foreign_hosts, ///< nor more foreign hosts
    retries,       ///< pauses before another try
    descriptors,   ///< there was none for a connection
    robots,        ///< its robots.txt
    reading,       ///< all its known URLs are under way, and are being read
    answers,       ///< all its known URLs are under way, and its server must answer
};
inline constexpr std::size_t number_of_limits =
    static_cast<std::size_t>(Limit::answers) + 1;

/// How a request fails of which no whole answer comes.
enum class Failure : std::uint8_t {
    no_address,
    no_connection,
    tls,
    timed_out,
    broken,   ///< the connection, after the request
    not_http, ///< what came
    too_large,
    no_descriptor, ///< here
    forbidden,     ///< by us
    unreadable,    ///< a file here
};
inline constexpr std::size_t number_of_failures =
    static_cast<std::size_t>(Failure::unreadable) + 1;

Failure failure_of(const FetchError& error);

/// How long waits were. Keeps how many there were of about each length, not each one.
class Waits {
  public:
    using Seconds = std::chrono::duration<double>;

    void add(EventLoop::Duration wait);
    void add(const Waits& others);
    Seconds worst() const { return worst_; }
    /// Within 3 %; 0 if there were none.
    Seconds median() const;

  private:
    static constexpr double steps = 16; // from one length to the double
    std::vector<std::uint32_t> counts_;
    Seconds worst_{};
};

/// Seconds, by Limit.
using TimesByLimit = std::array<double, number_of_limits>;

struct HostTimes {
    std::string host = {};
    std::size_t requests = 0; ///< of any kind, robots.txt and repeated ones included
    std::size_t bytes = 0;    ///< of bodies, decompressed
    std::size_t refusals = 0; ///< 429, and 503 with Retry-After
    std::array<std::size_t, number_of_failures> failures{}; ///< by Failure
    Waits waits = {};       ///< from a request, connecting included, to the answer's head
    TimesByLimit limited{}; ///< while it had URLs left

    std::size_t failures_of(Failure failure) const {
        return failures[static_cast<std::size_t>(failure)];
    }
    double limited_by(Limit limit) const {
        return limited[static_cast<std::size_t>(limit)];
    }
    /// How many seconds it had URLs left.
    double seconds() const {
        return std::accumulate(limited.begin(), limited.end(), 0.0);
    }
    /// What limited it for longest.
    Limit main_limit() const {
        return static_cast<Limit>(std::ranges::max_element(limited) - limited.begin());
    }
    void add(const HostTimes& other);
};

struct CrawlTimes {
    double seconds = 0; ///< that the crawl took
    std::vector<HostTimes>
        worst;             ///< those that had URLs left for longest, the worst first
    HostTimes others = {}; ///< the sum of the others
    std::size_t other_hosts = 0; ///< how many these are
    bool is_read_by_loop = true; ///< pages are: there are no parse threads
};

} // namespace stage3
