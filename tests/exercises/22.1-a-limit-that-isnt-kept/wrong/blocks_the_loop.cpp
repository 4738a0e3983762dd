// hint: no other task had a turn
#include "exercise.h"

#include <future>
#include <thread>
#include <utility>

using stage3::Coroutine;
using stage3::EventLoop;

Coroutine<std::string> find_address(LookUp look_up, std::string host,
                                    EventLoop::Duration limit) {
    std::packaged_task<std::string()> call([look_up, host] { return look_up(host); });
    std::future<std::string> answer = call.get_future();
    std::thread(std::move(call)).detach();
    if (answer.wait_for(limit) != std::future_status::ready)
        throw stage3::Timeout();
    co_return answer.get();
}
