#include "exercise.h"
#include "tests/stage3/runtime/loop_test.h"

namespace {

/// A blinker, connected to a loop whose time is not the real one.
class BlinkerTest : public tests::LoopTest {
  public:
    BlinkerTest() { connection.emplace(loop, blinker); }

    /// Lets this much time pass.
    void after(int milliseconds) {
        loop.call_later(std::chrono::milliseconds(milliseconds), [this] { loop.stop(); });
        loop.run_forever();
    }

    Blinker blinker;
    std::optional<BlinkerTimer> connection;
};

} // namespace

TEST_CASE_FIXTURE(BlinkerTest, "act() is called when its time is up") {
    blinker.start({100});
    after(99);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "it wished for 100 ms, and act() was called before they had passed.");
    after(1);
    CHECK_MESSAGE(blinker.switched() == 1, "it wished for a timer of 100 ms. They have "
                                           "passed, and nothing has called act().");
}

TEST_CASE_FIXTURE(BlinkerTest, "a pattern switches the lamp at each of its times") {
    blinker.start({100, 200, 300});
    after(100);
    CHECK_MESSAGE(blinker.switched() == 1, "after 100 ms, the lamp must be switched.");
    after(200);
    CHECK_MESSAGE(blinker.switched() == 2,
                  "200 ms later, the lamp must be switched again.");
    after(300);
    CHECK_MESSAGE(blinker.switched() == 3,
                  "300 ms later, the lamp must be switched again.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a timer fires once") {
    blinker.start({100});
    after(100);
    CHECK(blinker.switched() == 1);
    after(1000);
    CHECK_MESSAGE(
        blinker.switched() == 1,
        "the lamp was switched again without a wish for it: a timer fires only once.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a wish of 0 calls act() as soon as possible") {
    blinker.start({0, 0});
    CHECK_MESSAGE(blinker.refused() == 0,
                  "act() was called from inside its own callback, and refused. 0 means "
                  "soon: after the callback has returned, in the loop's next turn.");
    turns(5);
    CHECK_MESSAGE(blinker.switched() == 2,
                  "0 does not mean that there is nothing to do: act() has to be called "
                  "as soon as possible. The lamp should have been switched twice.");
    CHECK_MESSAGE(blinker.refused() == 0,
                  "act() makes a wish, too. It must not be called again before it has "
                  "returned from that.");
}

TEST_CASE_FIXTURE(BlinkerTest, "each wish replaces the one before") {
    blinker.start({1000});
    after(500);
    blinker.start({2000}); // due after 2500 ms in all
    after(1000);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "it wished for 1000 ms, and later for 2000 ms instead. But the old "
                  "timer is still there, and has fired.");
    after(1000);
    CHECK_MESSAGE(blinker.switched() == 1, "and now the new timer should have fired.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a wish for an earlier time replaces a later one") {
    blinker.start({1000});
    blinker.start({10});
    after(10);
    CHECK(blinker.switched() == 1);
    after(5000);
    CHECK_MESSAGE(blinker.switched() == 1,
                  "the timer that was replaced has fired as well.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a wish of -1 takes the timer back") {
    blinker.stop(); // no pattern was running
    turns(2);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "-1 means that it wants no timer. The lamp was switched.");
    blinker.start({1000});
    after(500);
    blinker.stop();
    after(5000);
    CHECK_MESSAGE(
        blinker.switched() == 0,
        "it took its timer back with -1, and the timer has fired nevertheless.");
    blinker.start({0});
    blinker.stop();
    turns(5);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "a timer can be taken back as long as it has not fired, even one that "
                  "is due at once. Keep its handle.");
    blinker.start({100});
    after(100);
    CHECK_MESSAGE(blinker.switched() == 1, "after that, a new pattern can begin.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a destroyed BlinkerTimer takes its running timer back") {
    blinker.start({1000});
    after(500);
    connection.reset();
    after(5000);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "the BlinkerTimer is destroyed, but its timer was still in the loop "
                  "and has fired. It might have used an object that is gone.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a destroyed BlinkerTimer takes its timer function back") {
    connection.reset();
    REQUIRE_MESSAGE(
        !blinker.has_timer_function(),
        "the BlinkerTimer is destroyed, but the blinker still has your timer function "
        "and the address of the object that is gone. Its next wish would call that.");
    blinker.start({100});
    after(1000);
    CHECK(blinker.switched() == 0);
    connection.emplace(loop, blinker); // it can be connected again
    blinker.start({100});
    after(100);
    CHECK(blinker.switched() == 1);
}
