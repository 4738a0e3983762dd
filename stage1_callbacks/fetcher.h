// Fetches one page, as a chain of callbacks.
//
// A function that blocks keeps its place and its local variables on the stack. A callback
// can't block, so it keeps neither: when it returns, its stack frame is gone. What a
// blocking fetch would hold in local variables (the socket, what was sent, what has
// arrived) is held in members here, and what comes next is whichever callback is
// registered. Pages 03 and 04 of the book.
#pragma once

#include "common/simple_crawl/crawl.h"
#include "common/simple_crawl/record.h"
#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <system_error>
#include <vector>

namespace stage1 {

/// Always held by a shared_ptr: while a fetch is under way, only the callback registered
/// with the loop keeps it alive.
class Fetcher : public std::enable_shared_from_this<Fetcher> {
  public:
    /// `crawl` must outlive the fetch.
    Fetcher(common::Url url, common::Crawl& crawl);

    /// Opens a socket, starts to connect, and returns. Calls `crawl.finished` when the
    /// fetch has ended, perhaps even before this returns; or `crawl.postpone`, at once,
    /// if no descriptor is left for another socket.
    void fetch();

  private:
    // The callbacks, in the order in which they are called.
    void connected();
    void send_request();
    void read_response();

    // What they do in between.
    void connect_to_next_address();
    void begin();
    bool response_is_whole();
    void handle_response();
    std::vector<common::Url> parse_links(const common::HttpResponse& response);
    void connection_broke(const std::error_code& error);
    void fail(std::string reason);
    void finish();
    void release();

    using Method = void (Fetcher::*)();
    void call_when(common::Events events, const char* name, Method method,
                   std::source_location at = std::source_location::current());
    void stop_watching();

    common::Crawl& crawl_;
    std::uint64_t id_ = 0;  // 0: not begun
    common::Record record_; // grows until the fetch ends

    std::vector<common::Address> addresses_; // not tried yet; the next one is last
    common::Socket socket_;
    bool watching_ = false;
    std::string request_;
    std::size_t sent_ = 0; // bytes of request_
    std::string response_;
    common::ResponseEnd end_; // says when the response is complete
};

} // namespace stage1
