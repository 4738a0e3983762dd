#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

const long never = 3'600'000; // milliseconds: no test takes that long

/// A blinker, connected to a loop.
struct BlinkerTest {
    BlinkerTest() { connection.emplace(loop, blinker); }

    /// Whatever is due at once is called in these turns, and nothing else.
    void turns(int number) {
        for (int i = 0; i < number; ++i)
            loop.turn(0ms);
    }

    /// Turns until a timer of this delay is called. One that was due earlier was called
    /// before it, however long the turns took.
    void after(std::chrono::milliseconds delay) {
        bool is_over = false;
        loop.call_later(delay, [&is_over] { is_over = true; });
        while (!is_over)
            loop.turn();
    }

    stage3::small::Loop loop;
    Blinker blinker;
    std::optional<BlinkerTimer> connection;
};

} // namespace

TEST_CASE_FIXTURE(BlinkerTest, "act() is called when its time is up") {
    blinker.start({never});
    turns(5);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "the blinker wished for an hour, and act() was called before that.");
    blinker.start({5});
    after(5ms);
    CHECK_MESSAGE(blinker.switched() == 1,
                  "the blinker wished for a timer of 5 ms. The 5 ms have passed, and "
                  "nothing has called act().");
}

TEST_CASE_FIXTURE(BlinkerTest, "a pattern switches the lamp at each of its times") {
    blinker.start({1, 2, 3, never});
    for (int i = 0; i < 3; ++i)
        after(3ms); // the next timer is made when the one before it is called
    CHECK_MESSAGE(
        blinker.switched() == 3,
        "the lamp must be switched after 1 ms, again after 2 ms more, and again "
        "after 3 ms more. It was switched "
            << blinker.switched() << " times.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a timer fires once") {
    blinker.start({1});
    after(1ms);
    CHECK(blinker.switched() == 1);
    after(5ms);
    CHECK_MESSAGE(
        blinker.switched() == 1,
        "the lamp was switched again without a wish for it: a timer fires only once.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a wish of 0 calls act() as soon as possible") {
    blinker.start({0, 0});
    CHECK_MESSAGE(blinker.refused() == 0,
                  "act() was called from inside its own callback, and refused. 0 means "
                  "soon: after the callback has returned, in a turn of the loop.");
    turns(5);
    CHECK_MESSAGE(blinker.switched() == 2,
                  "0 does not mean that there is nothing to do: act() has to be called "
                  "as soon as possible. The lamp should have been switched twice.");
    CHECK_MESSAGE(blinker.refused() == 0,
                  "act() makes a wish, too. Don't call act() again before it has "
                  "returned.");
}

TEST_CASE_FIXTURE(BlinkerTest, "each wish replaces the one before") {
    blinker.start({2});
    blinker.start({never});
    after(5ms);
    CHECK_MESSAGE(
        blinker.switched() == 0,
        "the blinker wished for 2 ms, and then for an hour instead. But the old "
        "timer is still there, and has fired.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a wish for an earlier time replaces a later one") {
    blinker.start({5});
    blinker.start({1});
    after(1ms);
    CHECK(blinker.switched() == 1);
    after(10ms);
    CHECK_MESSAGE(blinker.switched() == 1,
                  "the timer that was replaced has fired as well.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a wish of -1 takes the timer back") {
    blinker.stop(); // no pattern was running
    turns(2);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "-1 means that it wants no timer, but the lamp was switched.");
    blinker.start({2});
    blinker.stop();
    after(5ms);
    CHECK_MESSAGE(
        blinker.switched() == 0,
        "the blinker took its timer back with -1, and the timer has fired nevertheless.");
    blinker.start({0});
    blinker.stop();
    turns(5);
    CHECK_MESSAGE(blinker.switched() == 0,
                  "a timer can be taken back as long as it has not fired, even one that "
                  "is due at once. Keep its TimerId.");
    blinker.start({1});
    after(1ms);
    CHECK_MESSAGE(blinker.switched() == 1,
                  "after a stop, a new pattern can begin, but the lamp wasn't switched.");
}

TEST_CASE_FIXTURE(BlinkerTest, "a destroyed BlinkerTimer takes its running timer back") {
    blinker.start({2});
    connection.reset();
    after(5ms);
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
    blinker.start({1});
    after(5ms);
    CHECK(blinker.switched() == 0);
    connection.emplace(loop, blinker); // it can be connected again
    blinker.start({1});
    after(1ms);
    CHECK(blinker.switched() == 1);
}
