// Is this a Redis that will do, and if not, what can be done about it?
//
// Most trouble in the first minute is a user's mistake: a wrong port, a forgotten
// password, a Redis that evicts keys. Each gets a message of one line.
#pragma once

#include "stage3_queue_crawler/redis/redis_reply.h"
#include "stage3_queue_crawler/redis/redis_url.h"

#include <exception>
#include <string>
#include <string_view>

namespace stage3 {

/// True if Redis may well do later what it refuses now: it is loading its data, is short
/// of memory, has just become a replica, no longer knows a script …
bool may_pass(const RedisError& error);

/// After a first call that failed like this, is it worth waiting? Nothing may listen
/// there yet, or Redis may be loading its data.
bool may_come_yet(const std::exception_ptr& failure);

/// What is wrong with a Redis that says this about itself (INFO). Empty: nothing.
std::string fault_in(std::string_view info);

/// Why the first call failed, in words for the user.
std::string explain(const std::exception_ptr& failure, const RedisUrl& url,
                    double seconds);

} // namespace stage3
