#include "common/system/processor_time.h"
#include "tests/support/prelude.h"

TEST_CASE("a thread's time grows while it computes, and so does its process's") {
    common::ProcessorClock clock;
    const common::ProcessorTime begin = clock.now();
    common::ProcessorTime end = begin;
    while (end.thread - begin.thread < 2ms || end.process - begin.process < 2ms)
        end = clock.now();
    CHECK(clock.now().thread >= end.thread);
    CHECK(clock.now().process >= end.process);
}
