// Each origin's robots.txt, fetched once a day.
//
// Asking returns a future for an answer that is known, or on its way, so no task has to
// stop and wait for it. What a missing or broken file means is decided here, by RFC
// 9309, section 2.3.1. Page 24 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace stage3 {

/// What an origin's robots.txt says.
struct RobotsAnswer {
    Robots rules;
    std::string reason;      ///< why a URL is not allowed, if one isn't
    bool cannot_say = false; ///< "I can't say now": the server's status was 5xx or 429
};

class RobotsCache {
  public:
    using Answer = std::shared_ptr<const RobotsAnswer>;
    /// `ask`, for code that needs nothing else of this class.
    using Ask = std::function<Future<Answer>(const common::Url&)>;

    struct Settings {
        std::string product_token;           ///< our name, such as "AwaitTheWeb"
        RetryLimits retries{.max_tries = 1}; ///< of any one robots.txt
        std::size_t most_at_once = 16;       ///< further ones wait
        /// The options for a request to that URL's server.
        std::function<GetOptions(const common::Url&)> options_for =
            [](const common::Url&) { return GetOptions(); };
        /// Called with each URL as it's requested.
        std::function<void(const common::Url&)> on_request = [](const common::Url&) {};
        /// Called when the server of that URL wants a pause, with its length.
        std::function<void(const common::Url&, EventLoop::Duration)> on_refusal =
            [](const common::Url&, EventLoop::Duration) {};
        /// For an origin that is to be tried only twice: how long to wait in between.
        std::function<std::optional<std::chrono::milliseconds>(const common::Url&)>
            pause_before_last_try = [](const common::Url&) { return std::nullopt; };
        /// How many bytes of rules to keep. Beyond that, the oldest ones are dropped, and
        /// fetched again when they are needed.
        std::size_t most_kept = std::size_t{32} * 1024 * 1024;
    };
    /// How long an answer is good (RFC 9309, section 2.4). Then the origin is asked
    /// again; as long as it can't be reached, or can't say now, its old rules stay in
    /// force.
    static constexpr std::chrono::hours good_for{24};
    /// How long an origin that could not be reached is not asked again.
    static constexpr std::chrono::minutes failed_for{1};

    /// Belongs to the loop's thread. `loop` and `session` must outlive it.
    RobotsCache(EventLoop& loop, Http& session, Settings settings);

    /// From now on, its fetches are tasks of this group. Call it before `ask`.
    void fetch_in(TaskGroup& group) { group_ = &group; }

    /// What the origin of `url` says. The future fails with a FetchError if there is no
    /// answer at all.
    Future<Answer> ask(const common::Url& url);

    /// The answers still to come are no longer needed: cancels them.
    void cancel_all();

  private:
    using Kept = std::list<std::pair<common::Url, std::size_t>>; // with bytes

    struct Origin {
        Future<Answer> answer;
        Task<> fetch;
        std::unique_ptr<CancelAtExit> callback;
        Answer before{}; // in case there is no new one
        EventLoop::TimePoint good_until = EventLoop::TimePoint::max();
        std::optional<Kept::iterator> kept{}; // if the answer is there
    };

    /// The result of one try: an answer, or how long to wait before the next try.
    struct Tried {
        Answer answer;
        RetryPolicy::Duration wait{};
        bool was_refused = false; ///< so it wasn't a try
    };

    Coroutine<> find_out(common::Url robots_url, Future<Answer> answer);
    void settle(const common::Url& robots_url, const Answer& found,
                EventLoop::Duration time);
    Answer take_old(Origin& origin);
    Coroutine<Answer> fetch(common::Url robots_url);
    static Coroutine<std::string> read(Response& response);
    Coroutine<Tried> try_to_fetch(common::Url robots_url, Attempt attempt);

    EventLoop& loop_;
    Http& session_;
    const Settings settings_;
    RetryPolicy retries_;
    std::unordered_map<common::Url, Origin> origins_; // by robots.txt's URL
    Semaphore fetches_;
    TaskGroup* group_ = nullptr;
    Kept kept_; // oldest first
    std::size_t bytes_kept_ = 0;
};

} // namespace stage3
