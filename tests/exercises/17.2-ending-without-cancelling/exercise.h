// Workers that are not cancelled.
#pragma once

#include "stage3_queue_crawler/runtime/sync/queue.h"

#include <optional>
#include <vector>

/// Items of work, and std::nullopt, the sentinel, which sends a worker home.
using WorkQueue = stage3::Queue<std::optional<int>>;

/// What the workers do. None of it fails in this exercise.
class Work {
  public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;

    /// Deals with an item. That takes time, and may put new items into the queue.
    virtual stage3::Coroutine<> handle(int item) = 0;
    /// The last thing that each worker does, once. It takes time, too.
    virtual stage3::Coroutine<> farewell() = 0;
};

/// Has this many workers handle what is in the queue and what is put there meanwhile.
/// When nothing is left, each worker says farewell and ends; none is cancelled. Then
/// this returns how many items each worker has handled.
///
/// The queue has no limit, and is left as it was made: empty, with nothing unfinished, so
/// that it can be used again. Defined in yours.cpp.
stage3::Coroutine<std::vector<int>> run_workers(WorkQueue& queue, int workers,
                                                Work& work);
