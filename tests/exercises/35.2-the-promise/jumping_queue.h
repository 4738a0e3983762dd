// A queue that loses nothing, but isn't fair: a getter that was woken has no item yet.
#pragma once

#include "stage3_queue_crawler/small/coroutine.h"
#include "stage3_queue_crawler/small/event_loop.h"
#include "stage3_queue_crawler/small/future.h"

#include <deque>
#include <memory>

class JumpingQueue {
  public:
    explicit JumpingQueue(stage3::small::EventLoop& loop) : loop_(loop) {}

    void put(int item) {
        items_.push_back(item);
        if (waiters_.empty())
            return;
        waiters_.front()->set_result();
        waiters_.pop_front();
    }

    stage3::small::Coroutine<int> get() {
        while (items_.empty()) {
            const auto woken = std::make_shared<stage3::small::Future>(loop_);
            waiters_.push_back(woken);
            co_await *woken;
        }
        const int item = items_.front();
        items_.pop_front();
        co_return item;
    }

  private:
    stage3::small::EventLoop& loop_;
    std::deque<int> items_;
    std::deque<std::shared_ptr<stage3::small::Future>> waiters_;
};
