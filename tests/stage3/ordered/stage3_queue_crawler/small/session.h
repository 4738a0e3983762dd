// In place of small/session.h, for small_crawler_orders_test.cpp: there is no network,
// and a test answers.
#pragma once

#include "common/web/http_response.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/future.h"
#include "stage3_queue_crawler/small/loop.h"

#include <functional>
#include <memory>
#include <utility>

namespace stage3::small {

class Session {
  public:
    /// Is given a URL, what to resolve when the response is there, and the response.
    using Server = std::function<void(const common::Url&, const std::shared_ptr<Future>&,
                                      common::HttpResponse&)>;

    Session(Loop& loop, Server server) : loop_(loop), server_(std::move(server)) {}

    Coroutine<common::HttpResponse> get(common::Url url) {
        const UnderWay under_way(*this);
        common::HttpResponse response;
        const auto is_complete = std::make_shared<Future>(loop_);
        server_(url, is_complete, response);
        co_await *is_complete;
        co_return response;
    }

    int under_way() const { return under_way_; }

  private:
    struct UnderWay {
        explicit UnderWay(Session& s) : session(s) { ++session.under_way_; }
        UnderWay(const UnderWay&) = delete;
        UnderWay& operator=(const UnderWay&) = delete;
        ~UnderWay() { --session.under_way_; }
        Session& session;
    };

    Loop& loop_;
    Server server_;
    int under_way_ = 0;
};

} // namespace stage3::small
