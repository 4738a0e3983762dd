// Pauses grow up to a limit, and differ from client to client.
#include "stage3_queue_crawler/redis/back_off.h"
#include "tests/support/prelude.h"

#include <random>

using stage3::BackOff;

TEST_CASE(
    "pauses double up to a limit, and each is stretched or shrunk by up to a half") {
    // NOLINTNEXTLINE(cert-msc32-c,cert-msc51-cpp): always the same
    std::minstd_rand random(7);
    std::set<BackOff::Duration> seen;
    for (int round = 0; round < 200; ++round) {
        BackOff pauses(20ms, 1s);
        for (const auto middle :
             {20ms, 40ms, 80ms, 160ms, 320ms, 640ms, 1000ms, 1000ms, 1000ms}) {
            const BackOff::Duration pause = pauses.next(random);
            CHECK(pause >= middle / 2);
            CHECK(pause <= middle * 3 / 2);
            seen.insert(pause);
        }
    }
    CHECK(seen.size() > 1000);
}
