// A page, fetched over a socket.
//
// Fill in Watch, ready, fetch_bytes and fetch. What a socket does without waiting is
// there: common/first/sockets.h.
#pragma once

#include "common/first/sockets.h"
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

/// Has a descriptor watched as long as it lives, and resolves `future` when it's ready
/// for `events`. Both must outlive it.
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

/// Waits until `socket` is ready for `events`. However that ends, the socket is not
/// watched any more.
inline Coroutine<> ready(Loop& loop, const common::Socket& socket,
                         common::Events events) {
    (void)loop; // yours
    (void)socket;
    (void)events;
    co_return;
}

/// All that the server sends, up to the end of the connection. Throws what goes wrong
/// with the socket. Waits only in `co_await`, so that others can run meanwhile.
inline Coroutine<std::string> fetch_bytes(Loop& loop, common::Url url) {
    common::Socket socket = first::begin_to_connect(url);
    (void)loop; // yours: it is connected, or has failed to, when it is ready to write
    co_return "";
}

/// What the server answers to a request for `url`. `limit` is for the whole of it, from
/// the connection to the last byte.
///
/// If it can't be had, or not within `limit`, then nothing is thrown: the response's
/// `error` says why. But whoever waits here may be asked to end: Cancelled isn't a page
/// that has failed, and is thrown.
inline Coroutine<common::HttpResponse> fetch(Loop& loop, common::Url url,
                                             Milliseconds limit) {
    common::HttpResponse response;
    (void)loop; // yours; common::split_http_response takes the bytes apart
    (void)url;
    (void)limit;
    co_return response;
}

} // namespace yours
