#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

using stage3::EventLoop;
using tests::LoopTest;

namespace {

/// A loop with its own time, and a count of what was looked at.
class Scene : public LoopTest {
  public:
    Look look() {
        return [this](const std::string& server) { ++looks[server]; };
    }
    /// Lets this much time pass.
    void pass(EventLoop::Duration duration) {
        loop.call_later(duration, [this] { loop.stop(); });
        loop.run_forever();
    }
    bool has_timer() { return loop.until_next_timer().has_value(); }

    std::map<std::string, int> looks; // how often, for each server
};

} // namespace

TEST_CASE_FIXTURE(Scene, "two servers are watched at their own pace") {
    Watches watches(loop, look());
    watches.start("a", 1min);
    watches.start("b", 5min);
    CHECK(looks["a"] == 1); // the first time is now
    pass(10min + 30s);
    CHECK(looks["a"] == 11);
    CHECK(looks["b"] == 3);
}

TEST_CASE_FIXTURE(Scene, "a stopped watch no longer looks at its server") {
    Watches watches(loop, look());
    watches.start("a", 1min);
    pass(2min + 30s);
    watches.stop("a");
    pass(1h); // if its timer wasn't taken back, it fires now
    CHECK_MESSAGE(looks["a"] == 3, "it was looked at 3 times and then stopped, and "
                                       << looks["a"] - 3
                                       << " times after that: the coroutine still runs. "
                                          "To stop it, destroy its frame.");
}

TEST_CASE_FIXTURE(Scene, "a stopped watch leaves nothing in the loop") {
    Watches watches(loop, look());
    watches.start("a", 1min);
    pass(2min + 30s);
    watches.stop("a");
    CHECK_MESSAGE(
        !has_timer(),
        "the watch is stopped, and its timer is still in the loop. With many watches and "
        "pauses of a day, such timers pile up. Nothing needs the timer: take it back.");
}

TEST_CASE_FIXTURE(Scene, "destroyed Watches leave no timer in the loop") {
    {
        Watches watches(loop, look());
        watches.start("a", 1min);
        watches.start("b", 5min);
        pass(30s);
    }
    REQUIRE_MESSAGE(!has_timer(),
                    "nothing has called stop, but all Watches were destroyed, and each "
                    "frame with its Job. A timer is still in the loop: what will it "
                    "resume? Which object dies with the frame, whatever destroys it?");
    pass(1h);
}

TEST_CASE_FIXTURE(Scene, "stop returns how often the server was looked at") {
    Watches watches(loop, look());
    watches.start("a", 1min);
    watches.start("b", 1min);
    pass(2min + 30s);
    CHECK(watches.stop("a") == 3);
    pass(1min);
    CHECK(watches.stop("b") == 4);
    watches.start("a", 1min); // again
    CHECK(watches.stop("a") == 1);
}
