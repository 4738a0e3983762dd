// HTTP in a box: what a Session does with sockets, this does with a box::Web, in virtual
// time. Time limits, bodies that are too large or aren't wanted, and errors are as a
// Session's.
#pragma once

#include "stage3_queue_crawler/http/session.h"
#include "tests/support/box/web.h"

#include <memory>
#include <utility>

namespace tests::box {

/// Asks the servers of one Web. Of SessionOptions, it obeys `fetch_timeout`,
/// `stall_timeout`, `max_body` and `max_headers`.
class Http final : public stage3::Http {
  public:
    Http(stage3::EventLoop& loop, Web& web, stage3::SessionOptions options)
        : loop_(loop), web_(web), options_(std::move(options)) {}

    stage3::Coroutine<stage3::Response> get(common::Url url,
                                            stage3::GetOptions options) override;
    bool is_busy() const override { return web_.in_flight() > 0; }

  private:
    stage3::EventLoop& loop_;
    Web& web_;
    const stage3::SessionOptions options_;
};

/// For CrawlHelpers::open_http. `web` must outlive the crawl.
inline stage3::OpenHttp open_http(Web& web) {
    return [&web](stage3::EventLoop& loop, const stage3::SessionOptions& options) {
        return std::make_unique<Http>(loop, web, options);
    };
}

} // namespace tests::box
