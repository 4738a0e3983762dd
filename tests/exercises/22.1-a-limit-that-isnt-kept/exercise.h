// What find_address must do.
#pragma once

#include "stage3_queue_crawler/runtime/task/wait.h"

#include <functional>
#include <string>

/// Finds the address of a host, and throws if there is none. It blocks, perhaps for a
/// long time, and nothing can end it before it ends by itself. So it's called in
/// another thread.
using LookUp = std::function<std::string(const std::string& host)>;

/// What `look_up` returns for `host`, or throws. If neither comes within `limit`,
/// stage3::Timeout is thrown when the limit is up, and not later.
///
/// Other tasks get their turns all the time, and between them the loop sleeps. Nothing
/// waits for the look-up once this function has ended, whether its time was up, it was
/// cancelled, or it was destroyed with its loop; and what the look-up finds after that
/// is dropped. When both have ended, nothing is left of them.
stage3::Coroutine<std::string> find_address(LookUp look_up, std::string host,
                                            stage3::EventLoop::Duration limit);
