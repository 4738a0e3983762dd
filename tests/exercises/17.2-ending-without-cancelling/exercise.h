// Workers that are not cancelled.
#pragma once

#include "stage3_queue_crawler/small/group.h"
#include "stage3_queue_crawler/small/loop.h"
#include "stage3_queue_crawler/small/queue.h"

#include <optional>
#include <vector>

/// Items of work, and std::nullopt, the sentinel, which sends a worker home.
using WorkQueue = stage3::small::Queue<std::optional<int>>;

/// What the workers do. None of it fails in this exercise.
class Work {
  public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;

    /// Deals with an item. That takes some turns of the loop, and may put new items into
    /// the queue.
    virtual stage3::small::Coroutine<> handle(int item) = 0;
    /// The last thing that each worker does, once. It takes some turns, too.
    virtual stage3::small::Coroutine<> farewell() = 0;
};

/// Has this many workers handle what is in the queue and what is put there meanwhile.
/// When nothing is left, each worker says farewell and ends; none is cancelled. Then
/// this returns how many items each worker has handled, and leaves the queue empty.
/// Defined in yours.cpp.
stage3::small::Coroutine<std::vector<int>>
run_workers(stage3::small::Loop& loop, WorkQueue& queue, int workers, Work& work);
