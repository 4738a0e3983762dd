// Keeps account of requests, before the door to HTTP.
//
// All of a crawl's requests go through one Http: those for pages, for robots.txt, for
// sitemaps, and repeated ones. So what counts them stands before that, and no other code
// needs to know. A crawl that keeps no account has none. Page 32 of the book.
#pragma once

#include "stage3_queue_crawler/crawler/time_account.h"
#include "stage3_queue_crawler/http/session.h"

#include <memory>

namespace stage3 {

/// What `open` opens, with an account of its requests. `account` must outlive it, and its
/// responses.
OpenHttp with_account(OpenHttp open, TimeAccount& account);

} // namespace stage3
