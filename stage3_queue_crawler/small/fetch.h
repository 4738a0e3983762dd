// The smallest fetch on stage 3's smallest runtime. The real one leaves HTTP to libcurl:
// http/session.h. Page 13 of the book.
#pragma once

#include "common/web/http_response.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"

namespace stage3::small {

/// Returns the server's response to a request for `url`; if it can't be fetched, the
/// response's `error` says why.
Coroutine<common::HttpResponse> fetch(EventLoop& loop, common::Url url);

} // namespace stage3::small
