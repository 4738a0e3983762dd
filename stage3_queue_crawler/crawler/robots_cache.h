// Each origin's robots.txt, fetched once a day.
//
// Asking returns a future for an answer that is known, or on its way, so no task has to
// stop and wait for it. What a missing or broken file means is decided here, by RFC
// 9309, section 2.3.1. Page 24 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/host_pauses.h"
#include "stage3_queue_crawler/crawler/request_rules.h"
#include "stage3_queue_crawler/crawler/retry.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/sync/semaphore.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <chrono>
#include <cstddef>
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

struct RobotsSettings {
    bool obey = true;               ///< each origin's robots.txt
    std::size_t most_at_once = 100; ///< fetches of them, besides the workers' own
    /// How many bytes of rules to keep. Beyond that, the oldest ones are dropped, and
    /// fetched again when they are needed.
    std::size_t most_kept = std::size_t{32} * 1024 * 1024;
};

/// Knows what robots.txt says, or finds out.
class RobotsSource {
  public:
    using Answer = std::shared_ptr<const RobotsAnswer>;

    RobotsSource() = default;
    RobotsSource(const RobotsSource&) = delete;
    RobotsSource& operator=(const RobotsSource&) = delete;
    virtual ~RobotsSource() = default;

    /// What the origin of `url` says. The future fails with a FetchError if there is no
    /// answer at all.
    virtual Future<Answer> ask(const common::Url& url) = 0;
    /// The answers still to come are no longer needed: cancels them.
    virtual void cancel_all() = 0;
};

class RobotsCache final : public RobotsSource {
  public:
    /// How long an answer is good (RFC 9309, section 2.4). Then the origin is asked
    /// again; as long as it can't be reached, or can't say now, its old rules stay in
    /// force.
    static constexpr std::chrono::hours good_for{24};
    /// How long an origin that could not be reached is not asked again.
    static constexpr std::chrono::minutes failed_for{1};

    /// Belongs to the loop's thread. `product_token`: our name, such as "AwaitTheWeb".
    /// `retries`: of any one robots.txt. What it works with must outlive it; `pauses` is
    /// told of each request.
    RobotsCache(EventLoop& loop, Http& session, const RequestRules& rules,
                HostPauses& pauses, std::string product_token, const RetryLimits& retries,
                RobotsSettings settings = {})
        : loop_(loop), session_(session), rules_(rules), pauses_(pauses),
          product_token_(std::move(product_token)), settings_(settings),
          retries_(retries, loop.random()), fetches_(settings_.most_at_once) {}

    /// From now on, its fetches are tasks of this group. Call it before `ask`.
    void fetch_in(TaskGroup& group) { group_ = &group; }

    Future<Answer> ask(const common::Url& url) override;
    void cancel_all() override;

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
    std::optional<Tried> hear_refusal(const common::Url& url, const Response& response,
                                      Attempt attempt);
    Coroutine<Tried> try_to_fetch(common::Url robots_url, Attempt attempt);

    EventLoop& loop_;
    Http& session_;
    const RequestRules& rules_;
    HostPauses& pauses_;
    const std::string product_token_;
    const RobotsSettings settings_;
    RetryPolicy retries_;
    std::unordered_map<common::Url, Origin> origins_; // by robots.txt's URL
    Semaphore fetches_;
    TaskGroup* group_ = nullptr;
    Kept kept_; // oldest first
    std::size_t bytes_kept_ = 0;
};

} // namespace stage3
