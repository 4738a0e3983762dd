// What to request, as libcurl wants to be told.
//
// A transfer is what comes back. This is what goes out: the same for all fetches of a
// session, or for this one. Page 15 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/http/session.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <curl/curl.h>

#include <string>

namespace stage3 {

/// What to request, and since when it's wanted: the time limits count from then.
struct Request {
    common::Url url;
    GetOptions options;
    std::string addresses = {}; ///< of the host, for libcurl; empty: it finds them itself
    EventLoop::TimePoint begun;
};

/// Lists that libcurl reads where they are: they must outlive the transfer.
struct RequestLists {
    StringList addresses;
    StringList headers; ///< if the request has some of its own
};

/// A new handle for each fetch, with what is the same for all of a session's: up to
/// 8.1.0, libcurl's headers of one transfer could point into those of the last one if a
/// server sent a continuation line first, and the program crashed.
/// Source: https://github.com/curl/curl/issues/11101
Easy make_easy(const SessionOptions& options);

/// Says how to request it, and what to send besides. `addresses`: of its host;
/// `headers`: those that the session has for such a request.
RequestLists set_options(CURL* easy, const GetOptions& options,
                         const std::string& addresses, curl_slist* headers);

} // namespace stage3
