// A whole fetch in one coroutine: the first step away from callbacks.
//
// What stage 1 spreads over a class with four callbacks is one function here, with local
// variables and a loop. Each wait is still written out by hand: make a future, watch the
// socket, yield the future. `socket_io.h` puts that into functions. Page 07 of the book.
#pragma once

#include "common/simple_crawl/event_loop.h"
#include "common/system/socket.h"
#include "stage2_coroutines/future.h"

#include <string>

namespace stage2 {

/// Connects to `address`, sends `request`, and puts all that comes until the server
/// closes into `response`. Throws std::system_error if the network fails. What the
/// references refer to must outlive the coroutine.
Coroutine<> fetch_one(common::EventLoop& loop, common::Address address,
                      std::string request, std::string& response);

} // namespace stage2
