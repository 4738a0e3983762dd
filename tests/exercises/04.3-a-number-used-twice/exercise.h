// A download that tries once more.
#pragma once

#include "common/simple_crawl/event_loop.h"
#include "common/system/socket.h"

#include <functional>
#include <string>

/// Opens another connection to the server, on which the request has been sent already.
using Connect = std::function<common::Socket()>;

/// Gets the page that came. If the string is empty, nothing came.
using Done = std::function<void(const std::string& page)>;

/// Reads a page from a connection, until the server closes it, and then calls `done`. If
/// the connection ends before anything came, it tries once more with another one. It
/// returns at once, and the rest happens in callbacks. Connections that it no longer
/// needs are closed, and the loop doesn't watch them. `loop` outlives the download.
/// Defined in yours.cpp.
void download(const Connect& connect, common::EventLoop& loop, const Done& done);
