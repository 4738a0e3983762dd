// A crawl in which several processes take part: what it's called, and what all of them
// must agree on. Page 29 of the book.
#pragma once

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/redis/redis_url.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

struct SharedCrawl {
    std::vector<RedisUrl> servers; ///< at least one; hosts are spread over them
    std::string name;              ///< of the crawl; contains no brace
    /// What must be the same for all, such as "--delay 0.5"; one setting per line.
    std::string agreed;
    /// A process that shows no sign of life for this long is dead to the others, which
    /// get what it held. This doesn't limit how long a fetch may take.
    std::chrono::milliseconds lease{30'000};
    /// How long to wait, at the start, for servers that aren't ready.
    std::chrono::milliseconds wait_for_servers{0};
    /// A URL that this many processes didn't survive is from then on fetched only alone,
    /// so that it's known whether it kills them: see "Suspects" in
    /// frontier/4_leases.lua.
    int most_lost = 2;
    /// URLs that were given up since they kill processes are tried again.
    bool retry_given_up = false;
    std::string process; ///< what this one is called, for people
    /// Called with what the user should read.
    std::function<void(const std::string&)> on_note = [](const std::string&) {};
};

/// This process can't take part. The message says why, and what to do.
struct CantTakePart : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a server says about the crawl.
struct SharedState {
    enum class Stage : std::uint8_t {
        running,
        idle,      ///< nothing is left here, but other servers may send something
        max_pages, ///< as many pages were fetched as were wanted
        complete,
    };
    Stage stage = Stage::running;
    std::size_t unfinished = 0; ///< URLs, and chunks of links to other servers
    std::size_t records = 0;
    std::size_t known = 0; ///< URLs
    std::size_t dead = 0;
    std::size_t held = 0;     ///< by any process
    std::size_t given_up = 0; ///< URLs that kill processes
    std::size_t holds = 0; ///< how often a host was to be left alone, or wanted a pause
    bool is_whole = true;  ///< no call was left half done: see `find_half`

    bool is_over() const { return stage == Stage::max_pages || stage == Stage::complete; }
};

/// The stage that the script calls `name`.
SharedState::Stage stage_named(std::string_view name);

/// What a user should know if a call on the crawl of that name was left half done.
std::string explain_half(std::string_view name);
/// Why Redis or the script has refused a call on that crawl, and what to do.
std::string explain_refusal(const RedisError& error, std::string_view name);

} // namespace stage3
