// hint: An executor waits for its threads
#include "exercise.h"
#include "stage3_queue_crawler/runtime/executor/executor.h"

using stage3::Coroutine;
using stage3::EventLoop;

Coroutine<std::string> find_address(LookUp look_up, std::string host,
                                    EventLoop::Duration limit) {
    const auto call = [look_up, host] { return look_up(host); };
    co_return co_await wait_for(run_in_executor(stage3::running_loop(), call), limit);
}
