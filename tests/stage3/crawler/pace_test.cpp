// The pace that a host puts up with, and how it's found.
#include "stage3_queue_crawler/crawler/pace.h"
#include "tests/support/prelude.h"

#include <limits>

using stage3::Pace;

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// A pace, and a time.
struct PaceTest {
    /// So many requests, each with its answer, in so long.
    void answers(int count, Pace::Duration time) {
        for (int i = 0; i < count; ++i) {
            pace.begin(now);
            now += time / count;
            pace.answered(true);
        }
    }
    /// The distance, in seconds.
    double distance() const {
        return std::chrono::duration<double>(pace.distance()).count();
    }

    Pace pace;
    Pace::TimePoint now{1h};
};

} // namespace

TEST_CASE_FIXTURE(PaceTest, "before the first refusal, there is no limit") {
    answers(1000, 1s);
    CHECK(pace.window() == unlimited);
    CHECK(pace.distance() == 0s);
}

TEST_CASE_FIXTURE(PaceTest,
                  "after a refusal there is one request, then one more with each "
                  "answer") {
    pace.begin(now);
    pace.refused(pace.epoch(), now);
    CHECK(pace.window() == 1);
    pace.answered(true);
    CHECK(pace.window() == 2);
    pace.answered(true);
    CHECK(pace.window() == 3);
    pace.refused(pace.epoch(), now);
    CHECK(pace.window() == 1);
}

TEST_CASE_FIXTURE(PaceTest, "requests keep the distance of those that were answered") {
    answers(20, 4s);
    pace.begin(now);
    const Pace::Epoch epoch = pace.epoch();
    pace.refused(epoch, now);
    now += 6s; // what it took until it answers again is part of it
    CHECK(pace.distance() == 0s);
    pace.begin(now);
    CHECK(pace.epoch() != epoch);
    CHECK(distance() == doctest::Approx(0.5));
}

TEST_CASE_FIXTURE(PaceTest,
                  "of requests that were sent together, only one refusal slows") {
    answers(10, 1s);
    const Pace::Epoch epoch = pace.epoch();
    for (int i = 0; i < 3; ++i)
        pace.refused(epoch, now);
    pace.begin(now);
    const double slower = distance();
    CHECK(slower == doctest::Approx(0.1));
    pace.refused(epoch, now); // late
    CHECK(pace.window() == 1);
    now += 10s;
    pace.begin(now);
    CHECK(distance() == slower);
}

TEST_CASE_FIXTURE(PaceTest, "a stretch without an answer says nothing of the pace") {
    answers(10, 1s);
    for (int i = 0; i < 20; ++i) {
        pace.begin(now);
        pace.refused(pace.epoch(), now);
        now += 60ms;
    }
    pace.begin(now);
    CHECK(distance() == doctest::Approx(0.106));
}

TEST_CASE_FIXTURE(PaceTest, "the distance is never longer than a minute") {
    answers(1, 1s);
    pace.refused(pace.epoch(), now);
    now += 1h;
    pace.begin(now);
    CHECK(pace.distance() <= 60s);
}

TEST_CASE_FIXTURE(PaceTest,
                  "the distance shrinks quickly far from where the host refused, "
                  "and slowly near it") {
    answers(10, 10s);
    pace.refused(pace.epoch(), now);
    pace.begin(now);
    CHECK(distance() == doctest::Approx(1));
    answers(1, 1s);
    CHECK(distance() == doctest::Approx(1 / 1.1));
    while (distance() > 0.74) // where it refused: at half as much again
        answers(1, 1s);
    const double near = distance();
    answers(1, 1s);
    CHECK(distance() < near);
    CHECK(distance() > near * 0.98);
    const double before = distance();
    pace.answered(false); // no other was held up
    CHECK(distance() == before);
}

TEST_CASE_FIXTURE(PaceTest,
                  "a single refusal with a long pause doesn't slow a host for long") {
    answers(1, 20ms);
    pace.begin(now);
    pace.refused(pace.epoch(), now);
    now += 50s;
    pace.begin(now);
    CHECK(distance() == 1);
    pace.answered(true);
    now += 10s;
    pace.begin(now);
    pace.refused(pace.epoch(), now);
    now += 10s;
    pace.begin(now); // the second time, it's believed
    CHECK(distance() == doctest::Approx(20));
}

TEST_CASE_FIXTURE(PaceTest,
                  "503 without Retry-After slows only a host that also answers") {
    pace.begin(now);
    pace.busy(pace.epoch());
    CHECK(pace.window() == unlimited);
    answers(10, 1s);
    pace.busy(pace.epoch());
    CHECK(pace.window() == 1);
    now += 1s;
    pace.begin(now);
    CHECK(distance() == doctest::Approx(0.2));
}

TEST_CASE_FIXTURE(PaceTest, "refusals count from the first one after the last answer") {
    pace.begin(now);
    now += 1h; // nothing was asked, so nothing was refused
    CHECK(pace.refused_for(now) == 0s);
    pace.refused(pace.epoch(), now);
    now += 10s;
    pace.refused(pace.epoch(), now);
    CHECK(pace.refused_for(now) == 10s);
    pace.answered(false);
    now += 5s;
    CHECK(pace.refused_for(now) == 0s);
    pace.refused(pace.epoch(), now);
    now += 5s;
    CHECK(pace.refused_for(now) == 5s);
    pace.busy(pace.epoch()); // it's no refusal
    CHECK(pace.refused_for(now) == 0s);
}
