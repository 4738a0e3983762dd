// HTTP for a crawl whose URLs are served somewhere else: see url_mappings.h.
//
// It stands between the crawl and its sessions. A request goes where its mapping says;
// what comes back has the addresses that are meant. Nothing else of the crawl needs to
// know, and a URL that no mapping is for goes to its own server. Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/http/url_mappings.h"

#include <memory>

namespace stage3 {

class RemappedSession final : public Http {
  public:
    /// `open` makes the sessions. Those for mapped URLs go to any address, since the user
    /// has named it, and folders are asked without a proxy. `loop` must outlive this.
    RemappedSession(EventLoop& loop, const SessionOptions& options,
                    std::shared_ptr<const UrlMappings> mappings,
                    const OpenHttp& open = open_session);

    Coroutine<Response> get(common::Url url, GetOptions options) override;
    bool is_busy() const override;

  private:
    Coroutine<Response> get_elsewhere(common::Url url, GetOptions options);
    Coroutine<Response> get_mapped(common::Url url, UrlMappings::Way way,
                                   GetOptions options);

    Coroutine<Response> get_robots_txt(common::Url url, GetOptions options);

    const std::shared_ptr<const UrlMappings> mappings_;
    const std::size_t max_headers_;
    const std::unique_ptr<Http> others_; // for what isn't mapped
    const std::unique_ptr<Http> mapped_;
    const std::unique_ptr<Http> folders_;
};

} // namespace stage3
