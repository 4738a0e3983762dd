// A web server for the files of one folder, on loopback.
//
// The crawler can only ask servers, so this is one: it runs in the crawl's own loop, on
// the listener and the streams of the runtime. It answers GET and HEAD, keeps connections
// open, and knows what hasn't changed. Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/http/site_folder.h"
#include "stage3_queue_crawler/runtime/net/listener.h"
#include "stage3_queue_crawler/runtime/net/stream.h"
#include "stage3_queue_crawler/runtime/task/coroutine.h"

#include <filesystem>
#include <string_view>

namespace stage3 {

class FolderServer {
  public:
    /// A header of answers with status 403: why the file isn't served.
    static constexpr std::string_view reason = "Refused-Because";

    /// Listens at once, at a port that is free. Throws std::system_error if the folder
    /// can't be read, or there is no such port.
    explicit FolderServer(const std::filesystem::path& folder);
    FolderServer(const FolderServer&) = delete;
    FolderServer& operator=(const FolderServer&) = delete;
    ~FolderServer() = default;

    /// "http://127.0.0.1:12345/". Requests must name it as their Host: then a page that
    /// somebody's browser shows meanwhile can't read the folder under a name of its own.
    const common::Url& url() const { return url_; }

    /// Answers until it's cancelled; call it once. This object must outlive it.
    Coroutine<> serve();

  private:
    Coroutine<> talk(Stream& stream) const;
    Coroutine<bool> answer(Stream& stream, std::string_view head) const;

    const SiteFolder folder_;
    Listener listener_;
    const common::Url url_;
};

} // namespace stage3
