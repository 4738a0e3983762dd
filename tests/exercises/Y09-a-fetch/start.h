// A page, fetched over a socket.
//
// Fill in Watch, ready, fetch_bytes and fetch. What a socket can do without waiting is
// given: common/small/sockets.h.
#pragma once

#include "common/small/sockets.h"
#include "common/system/selector.h"
#include "common/system/socket.h"
#include "common/web/http_response.h"
#include "common/web/url.h"
#include "coroutine.h"
#include "future.h"
#include "loop.h"
#include "wait_for.h"

#include <exception>
#include <string>

namespace yours {

/// Has a descriptor watched for as long as this lives, and resolves `future` when it's
/// ready for `events`. Both must outlive it.
class Watch {
  public:
    Watch(Loop& loop, int fd, common::Events events, Future& future) {
        (void)loop; // yours
        (void)fd;
        (void)events;
        (void)future;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() {
        // yours
    }
};

/// Waits until `socket` is ready for `events`. However that ends, the socket is no longer
/// watched afterwards.
inline Coroutine<> ready(Loop& loop, const common::Socket& socket,
                         common::Events events) {
    (void)loop; // yours
    (void)socket;
    (void)events;
    co_return;
}

/// Everything that the server sends, up to the end of the connection. Throws whatever
/// goes wrong with the socket. Waits only in `co_await`, so that others can run
/// meanwhile.
inline Coroutine<std::string> fetch_bytes(Loop& loop, common::Url url) {
    common::Socket socket = small::begin_to_connect(url);
    (void)loop; // yours: once it is ready to write, it has connected or failed
    co_return "";
}

/// What the server answers to a request for `url`. `limit` covers all of it, from the
/// connection to the last byte.
///
/// If the page can't be fetched, or not within `limit`, nothing is thrown: the response's
/// `error` gives the reason. But if the caller is asked to end, Cancelled is thrown,
/// because that is not a failed page.
inline Coroutine<common::HttpResponse> fetch(Loop& loop, common::Url url,
                                             Milliseconds limit) {
    common::HttpResponse response;
    (void)loop; // yours; common::split_http_response takes the bytes apart
    (void)url;
    (void)limit;
    co_return response;
}

} // namespace yours
