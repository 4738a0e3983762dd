// What surrounds every crawl, alone (crawl_alone.h) or shared (crawl_together.h): a user
// who reads notes and may press Ctrl-C, and a machine whose descriptors and memory are
// limited.
#pragma once

#include "stage3_queue_crawler/crawler/crawl_settings.h"
#include "stage3_queue_crawler/program/console.h"
#include "stage3_queue_crawler/program/memory_reserve.h"
#include "stage3_queue_crawler/program/options.h"
#include "stage3_queue_crawler/runtime/task/task.h"

#include <functional>
#include <utility>

namespace stage3 {

/// Before the crawl: makes its settings fit this process, and tells the user if there are
/// fewer workers now, or if what was asked for is risky.
void fit_to_process(Options& options, Console& console);

/// Notes go to the console, and with `--verbose` so does each fetch that begins.
CrawlEvents events_on(Console& console, bool verbose);

/// A running crawl, which ends early if its user wants that, or if memory runs out.
class SupervisedCrawl {
  public:
    /// Starts it. `loop` must outlive this, and this must outlive whatever writes the
    /// crawl's results: its memory reserve is for that, too.
    SupervisedCrawl(EventLoop& loop, Coroutine<Ending> crawl);

    /// Waits until it has ended, and shows `progress` meanwhile if `wanted`. Throws what
    /// the crawl does, except std::bad_alloc: that is an ending.
    Coroutine<> wait(std::function<Progress()> progress, Console& console, bool wanted);
    /// After `wait`. It's also `no_memory` if memory has run out since.
    Ending ending() const { return memory_.is_used() ? Ending::no_memory : ending_; }

  private:
    /// Its task must not begin if the constructor throws: what it uses is gone by then.
    class Crawl {
      public:
        explicit Crawl(Task<Ending> task) : task_(std::move(task)) {}
        Crawl(const Crawl&) = delete;
        Crawl& operator=(const Crawl&) = delete;
        ~Crawl() { task_.cancel(); }
        const Task<Ending>& task() const { return task_; }

      private:
        Task<Ending> task_;
    };

    Crawl crawl_;
    MemoryReserve memory_;
    Ending ending_ = Ending::complete;
};

} // namespace stage3
