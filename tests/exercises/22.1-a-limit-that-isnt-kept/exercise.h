// What find_address must do.
#pragma once

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <functional>
#include <string>

/// Finds the address of a host, and throws if there is none. It blocks, perhaps for a
/// long time, and nothing can end it early. So it's called in another thread.
using LookUp = std::function<std::string(const std::string& host)>;

/// What `look_up` returns for `host`, or throws. If neither comes within `limit`,
/// stage3::Timeout is thrown when the limit is up, and not later.
///
/// Other tasks run in the meantime, and the loop sleeps while none is ready. Nothing
/// waits for the lookup once this function has ended, whether it timed out, was
/// cancelled, or was destroyed with its loop; what the lookup finds then is dropped.
/// When both have ended, nothing is left of them.
stage3::Coroutine<std::string> find_address(LookUp look_up, std::string host,
                                            stage3::EventLoop::Duration limit);
