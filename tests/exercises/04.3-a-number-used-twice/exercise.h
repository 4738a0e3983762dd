// A download that tries once more.
#pragma once

#include "common/simple_crawl/event_loop.h"
#include "common/system/socket.h"

#include <functional>
#include <string>

/// Opens another connection to the server, with the request sent already.
using Connect = std::function<common::Socket()>;

/// Is told what came; nothing did if the string is empty.
using Done = std::function<void(const std::string& page)>;

/// Reads a page from a connection, up to the server's close, and then calls `done`. If
/// the connection ends before anything came, it tries once more with another. It returns
/// at once; the rest is done in callbacks. Connections that it doesn't need any more are
/// closed, and the loop doesn't watch them. `loop` lives longer than the download.
/// Defined in yours.cpp.
void download(const Connect& connect, common::EventLoop& loop, const Done& done);
