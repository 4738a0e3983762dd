// Each origin's robots.txt, fetched once.
//
// The first worker that comes to an origin fetches it; whoever comes meanwhile waits for
// the same answer. What a missing or a broken file means is decided here, by RFC 9309,
// section 2.3.1. Told in book/14.
#pragma once

#include "common/url.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace stage3 {

/// What an origin says.
struct RobotsAnswer {
    Robots rules;
    std::string reason; ///< why a URL is not allowed, if it isn't
};

class RobotsCache {
  public:
    /// `product_token`: who we are, such as "AwaitTheWeb". `session` must outlive it.
    RobotsCache(Session& session, std::string product_token)
        : session_(session), product_token_(std::move(product_token)) {}

    /// What the origin of `url` says. If there is no answer at all, that is thrown
    /// (FetchError), and the next one to ask will try again.
    Coroutine<std::shared_ptr<const RobotsAnswer>> ask(common::Url url);

  private:
    using Answer = std::shared_ptr<const RobotsAnswer>;

    Coroutine<Answer> fetch(common::Url robots_url);

    Session& session_;
    const std::string product_token_;
    std::unordered_map<std::string, Future<Answer>> answers_; // by robots.txt's URL
};

} // namespace stage3
