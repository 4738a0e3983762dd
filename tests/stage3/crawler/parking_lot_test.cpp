// Items that are put off come back, each at its time.
#include "stage3_queue_crawler/crawler/parking_lot.h"
#include "tests/stage3/runtime/loop_test.h"

using stage3::EventLoop;
using tests::Log;

namespace {

/// A parking lot. The log has the items that have left it, each with its time in
/// milliseconds.
struct LotTest : tests::LoopTest {
    void park(int item, EventLoop::Duration duration) {
        lot->park(item, loop.time() + duration);
    }
    /// Lets time pass.
    void wait(EventLoop::Duration duration) {
        loop.call_later(duration, [this] { loop.stop(); });
        loop.run_forever();
    }

    std::optional<stage3::ParkingLot<int>> lot{
        std::in_place, loop,
        [this](int item) { note(fmt::format("{} at {}", item, elapsed())); }};
};

} // namespace

TEST_CASE("in whatever order items come, they leave in the order of their times") {
    LotTest test;
    test.park(1, 300ms);
    test.park(2, 100ms); // leaves sooner than the item already there
    test.park(3, 400ms);
    test.park(4, 200ms);
    test.park(5, 100ms); // leaves at the same time as another, and after it
    CHECK(test.lot->size() == 5);
    test.wait(200ms);
    CHECK(test.log == Log{"2 at 100", "5 at 100", "4 at 200"});
    CHECK(test.lot->size() == 2);
    test.park(6, 50ms);
    test.wait(1s);
    CHECK(test.log
          == Log{"2 at 100", "5 at 100", "4 at 200", "6 at 250", "1 at 300", "3 at 400"});
    CHECK(test.lot->size() == 0);
    test.park(7, 10ms); // into an empty lot
    test.wait(1s);
    CHECK(test.log.back() == "7 at 1210");
}

TEST_CASE("an item that is already due leaves in the next turn, not at once") {
    LotTest test;
    test.park(1, -1s);
    CHECK(test.log.empty());
    test.wait(0ms);
    CHECK(test.log == Log{"1 at 0"});
}

TEST_CASE("no item leaves a parking lot that is gone") {
    LotTest test;
    test.park(1, 100ms);
    test.lot.reset();
    test.wait(1s);
    CHECK(test.log.empty());
    CHECK(test.loop.timers() == 0);
}
