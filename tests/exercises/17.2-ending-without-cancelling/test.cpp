#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

#include <numeric>

using stage3::Coroutine;

namespace {

using Items = std::vector<int>;

/// Takes 100 ms for each item and 50 ms for each farewell.
class SlowWork final : public Work {
  public:
    explicit SlowWork(WorkQueue& q) : queue(q) {}

    Coroutine<> handle(int item) override {
        begun.push_back(item);
        co_await stage3::sleep(100ms);
        for (const int next : brings[item])
            queue.put_nowait(next);
        handled.push_back(item);
    }
    Coroutine<> farewell() override {
        co_await stage3::sleep(50ms);
        ++farewells;
        if (stage3::current_task()->cancelling() > 0)
            ++cancelled;
    }

    /// Checks that everything was handled that should have been.
    bool has_handled(Items items) const {
        Items sorted = handled;
        std::ranges::sort(sorted);
        std::ranges::sort(items);
        return sorted == items;
    }

    WorkQueue& queue;
    std::map<int, Items> brings; ///< the new items that an item brings
    Items begun, handled;
    int farewells = 0;
    int cancelled = 0; ///< of the workers that said farewell
};

/// A loop whose time is not the real one, a queue, and work.
class WorkTest : public tests::LoopTest {
  public:
    WorkTest() = default;
    WorkTest(const WorkTest&) = delete;
    WorkTest& operator=(const WorkTest&) = delete;
    ~WorkTest() { loop.close(); } // first, because tasks that are left use the queue

    /// Puts the items in and lets the workers work. Returns how many each has handled.
    std::vector<int> handle(const Items& items, int workers) {
        for (const int item : items)
            queue.put_nowait(item);
        try {
            return run(run_workers(queue, workers, work));
        } catch (const std::runtime_error&) { // every task waits
            say_who_waits(workers);
        }
        return {};
    }

    /// Lets this much time pass.
    void after(std::chrono::milliseconds time_span) {
        loop.call_later(time_span, [this] { loop.stop(); });
        loop.run_forever();
    }

    WorkQueue queue;
    SlowWork work{queue};

  private:
    void say_who_waits(int workers) const {
        const int waiting = workers - work.farewells;
        if (waiting > 0)
            FAIL("nothing more will ever happen: "
                 << waiting << " of " << workers
                 << " workers wait for an item that does not come. A sentinel sends one "
                    "worker home, the one that gets it.");
        FAIL("nothing more will ever happen: all workers have gone home, and run_workers "
             "still waits. Unfinished items: "
             << queue.unfinished());
    }
};

} // namespace

TEST_CASE_FIXTURE(WorkTest, "no item is left half done") {
    handle({1, 2, 3, 4, 5}, 2);
    for (const int item : work.begun)
        CHECK_MESSAGE(std::ranges::count(work.handled, item) == 1,
                      "item " << item
                              << " was begun, and not finished: its worker was ended "
                                 "halfway. The queue is empty when the last item is "
                                 "taken out, which is before that item is done.");
    CHECK_MESSAGE(work.has_handled({1, 2, 3, 4, 5}),
                  "five items, and " << work.handled.size() << " were handled.");
}

TEST_CASE_FIXTURE(WorkTest, "items that come from other items are handled too") {
    work.brings = {{1, {11, 12}}, {12, {121}}};
    handle({1, 2}, 3);
    CHECK_MESSAGE(work.has_handled({1, 2, 11, 12, 121}),
                  "two items bring three more, and only "
                      << work.handled.size()
                      << " were handled. What came later was in the queue after the "
                         "sentinels, and the workers went home before they saw it.");
}

TEST_CASE_FIXTURE(WorkTest, "all workers end without being cancelled") {
    const std::vector<int> handled = handle({1, 2, 3}, 5);
    const int farewells = work.farewells;
    after(1000ms);
    CHECK_MESSAGE(work.farewells == 5,
                  "five workers, and " << work.farewells
                                       << " said farewell. A worker that is cancelled "
                                          "while it waits says nothing more.");
    CHECK_MESSAGE(work.cancelled == 0,
                  "no worker may be cancelled; " << work.cancelled << " were.");
    CHECK_MESSAGE(farewells == work.farewells,
                  "run_workers returned before its workers had ended: they were still "
                  "saying farewell.");
    CHECK_MESSAGE(handled.size() == 5,
                  "one number should be returned for each of five workers, not "
                      << handled.size());
    CHECK_MESSAGE(
        std::accumulate(handled.begin(), handled.end(), 0) == 3,
        "together, the workers have handled three items; sentinels don't count.");
}

TEST_CASE_FIXTURE(WorkTest, "the queue can be used again") {
    handle({1, 2, 3}, 2);
    REQUIRE_MESSAGE(queue.empty(), "a sentinel is left in the queue. The next worker "
                                   "that uses the queue gets it and goes home at once.");
    REQUIRE_MESSAGE(
        queue.unfinished() == 0,
        "nothing is left to do, and the queue counts "
            << queue.unfinished()
            << " items that are unfinished. For the queue, sentinels are items, too. A "
               "task that joins it after this waits forever: the count never reaches 0.");
    handle({4, 5}, 2);
    CHECK(work.has_handled({1, 2, 3, 4, 5}));
}

TEST_CASE_FIXTURE(WorkTest, "workers with nothing to do return zeros") {
    const std::vector<int> handled = handle({}, 3);
    CHECK_MESSAGE(handled == std::vector<int>(3, 0),
                  "there are three workers and nothing to do, so 0 should be returned "
                  "three times.");
    CHECK(work.farewells == 3);
}

TEST_CASE_FIXTURE(WorkTest, "the workers work at the same time") {
    handle({1, 2, 3, 4, 5, 6, 7, 8}, 4);
    CHECK_MESSAGE(elapsed() < 400,
                  "four workers took "
                      << elapsed()
                      << " ms for eight items of 100 ms each, as if there were only one "
                         "worker.");
}
