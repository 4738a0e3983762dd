#include "exercise.h"
#include "tests/support/prelude.h"

#include <numeric>

using namespace stage3::small;

namespace {

using Items = std::vector<int>;

/// Takes some turns of the loop for each item, and for each farewell.
class SlowWork final : public Work {
  public:
    SlowWork(Loop& loop, WorkQueue& queue) : loop_(loop), queue_(queue) {}

    Coroutine<> handle(int item) override {
        begun.push_back(item);
        most_at_once = std::max(most_at_once, ++at_once_);
        co_await some_turns();
        --at_once_;
        for (const int next : brings[item])
            queue_.put(next);
        handled.push_back(item);
    }
    Coroutine<> farewell() override {
        co_await some_turns();
        ++farewells;
    }

    std::map<int, Items> brings; ///< the new items that an item brings
    Items begun, handled;
    int farewells = 0;
    int most_at_once = 0; ///< of the items that were begun and not finished

  private:
    Coroutine<> some_turns() {
        for (int i = 0; i < 5; ++i)
            co_await sleep(loop_, 0ms);
    }

    Loop& loop_;
    WorkQueue& queue_;
    int at_once_ = 0;
};

struct WorkTest {
    /// Puts the items in and lets the workers work. Returns how many each has handled.
    Items handle(const Items& items, int workers) {
        for (const int item : items)
            queue.put(item);
        Items numbers;
        Task task(loop, keep(run_workers(loop, queue, workers, work), numbers));
        for (int turns = 0; !task.done() && turns < 1000; ++turns)
            loop.turn(0ms);
        if (!task.done())
            FAIL("nothing more will ever happen: "
                 << workers - work.farewells << " of " << workers
                 << " workers wait for an item that does not come. A sentinel sends one "
                    "worker home: the worker that gets it.");
        for (const int item : work.begun)
            REQUIRE_MESSAGE(std::ranges::count(work.handled, item) == 1,
                            "item "
                                << item
                                << " was begun, and not finished: its worker was ended "
                                   "halfway. When the last item is taken out of the "
                                   "queue, that item isn't done yet.");
        REQUIRE_MESSAGE(
            work.farewells == workers, // or else the next turn might run what is gone
            "" << workers << " workers, and " << work.farewells
               << " had said farewell when run_workers returned. A worker that is "
                  "cancelled while it waits never says farewell. And a worker that is "
                  "still saying it would use objects that are gone.");
        task.throw_if_failed();
        return numbers;
    }

    /// Is there nothing to get?
    bool queue_is_empty() {
        Items got;
        Task task(loop, take(got));
        for (int i = 0; i < 3; ++i)
            loop.turn(0ms);
        if (!task.done())
            task.cancel();
        while (!task.done())
            loop.turn(0ms);
        return got.empty();
    }

    static Coroutine<> keep(Coroutine<Items> of, Items& numbers) {
        numbers = co_await std::move(of);
    }
    Coroutine<> take(Items& got) {
        const std::optional<int> item = co_await queue.get();
        got.push_back(item.value_or(0));
    }

    /// Checks that everything was handled that should have been.
    bool has_handled(Items items) const {
        Items sorted = work.handled;
        std::ranges::sort(sorted);
        std::ranges::sort(items);
        return sorted == items;
    }

    Loop loop;
    WorkQueue queue{loop};
    SlowWork work{loop, queue};
};

} // namespace

TEST_CASE_FIXTURE(WorkTest, "no item is left half done") {
    handle({1, 2, 3, 4, 5}, 2);
    CHECK_MESSAGE(has_handled({1, 2, 3, 4, 5}),
                  "five items, and " << work.handled.size() << " were handled.");
}

TEST_CASE_FIXTURE(WorkTest, "items that come from other items are handled too") {
    work.brings = {{1, {11, 12}}, {12, {121}}};
    handle({1, 2}, 3);
    CHECK_MESSAGE(has_handled({1, 2, 11, 12, 121}),
                  "two items bring three more, and only "
                      << work.handled.size()
                      << " were handled. The items that came later were in the queue "
                         "after the sentinels, and the workers went home before they saw "
                         "them.");
}

TEST_CASE_FIXTURE(WorkTest, "all workers end without being cancelled") {
    const Items numbers = handle({1, 2, 3}, 5);
    CHECK(work.farewells == 5);
    CHECK_MESSAGE(numbers.size() == 5,
                  "one number should be returned for each of five workers, not "
                      << numbers.size());
    CHECK_MESSAGE(
        std::accumulate(numbers.begin(), numbers.end(), 0) == 3,
        "together, the workers have handled three items; sentinels don't count.");
}

TEST_CASE_FIXTURE(WorkTest, "the queue is left empty") {
    handle({1, 2, 3}, 2);
    CHECK_MESSAGE(queue_is_empty(), "a sentinel is left in the queue. The next worker "
                                    "that uses the queue gets it, and goes home.");
}

TEST_CASE_FIXTURE(WorkTest, "workers with nothing to do return zeros") {
    CHECK_MESSAGE(handle({}, 3) == Items(3, 0),
                  "there are three workers and nothing to do, so 0 should be returned "
                  "three times.");
    CHECK(work.farewells == 3);
}

TEST_CASE_FIXTURE(WorkTest, "the workers work at the same time") {
    handle({1, 2, 3, 4, 5, 6, 7, 8}, 4);
    CHECK_MESSAGE(work.most_at_once == 4,
                  "four workers, eight items, and never more than "
                      << work.most_at_once
                      << " items were being handled at the same time.");
}
