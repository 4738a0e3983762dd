// Is this a Redis that will do, and if not, what is to be done about it?
//
// Most troubles of the first minute are somebody's mistake: a wrong port, a forgotten
// password, a Redis that throws keys away. They're told in one line each.
#pragma once

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/redis/redis_url.h"

#include <exception>
#include <string>
#include <string_view>

namespace stage3 {

/// True if Redis may well do later what it refuses now: it loads its data, is short of
/// memory, is about to become somebody's replica, doesn't know a script any more …
bool may_pass(const RedisError& error);

/// What is wrong with a Redis that says this of itself (INFO). Empty: nothing.
std::string fault_in(std::string_view info);

/// In words for its user: why nothing came of the first call.
std::string explain(const std::exception_ptr& failure, const RedisUrl& url,
                    double seconds);

} // namespace stage3
