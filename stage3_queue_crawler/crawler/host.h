// What a host is to a crawl: a name and a port.
//
// Another port may lead to another machine, so it has its own pauses and its own line.
// Both frontiers and the crawler must agree on that. Page 25 of the book.
#pragma once

#include "common/web/url.h"

#include <string>

namespace stage3 {

/// The host of a URL, such as "example.org:80".
std::string host_of(const common::Url& url);

} // namespace stage3
