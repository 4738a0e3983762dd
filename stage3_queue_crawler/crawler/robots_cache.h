// Each origin's robots.txt, fetched once.
//
// Whoever asks gets a future: the answer that is there, or that is under way. Nobody has
// to stand and wait for it. What a missing or a broken file means is decided here, by RFC
// 9309, section 2.3.1. Told in book/14a.
#pragma once

#include "common/url.h"
#include "stage3_queue_crawler/crawler/robots.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/task.h"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace stage3 {

/// What an origin says.
struct RobotsAnswer {
    Robots rules;
    std::string reason; ///< why a URL is not allowed, if it isn't
};

class RobotsCache {
  public:
    using Answer = std::shared_ptr<const RobotsAnswer>;

    /// `product_token`: who we are, such as "AwaitTheWeb". `session` must outlive it.
    RobotsCache(Session& session, std::string product_token)
        : session_(session), product_token_(std::move(product_token)) {}

    /// What the origin of `url` says. If there is no answer at all, the future has the
    /// reason (FetchError), and the next one to ask will make it try again.
    Future<Answer> ask(const common::Url& url);

    /// How many are being fetched.
    std::size_t under_way() const { return *under_way_; }
    /// Gives up all that is under way, and returns it.
    std::vector<Future<Answer>> cancel_all();

  private:
    Coroutine<Answer> fetch(common::Url robots_url);

    Session& session_;
    const std::string product_token_;
    std::shared_ptr<std::size_t> under_way_ = std::make_shared<std::size_t>(0);
    std::unordered_map<std::string, Future<Answer>> answers_; // by robots.txt's URL
};

} // namespace stage3
