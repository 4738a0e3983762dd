// Ten thousand connections at once.
#include "common/system/descriptors.h"
#include "tests/stage3/program/program_under_test.h"
#include "tests/support/in_bulk.h"

using namespace tests;

TEST_CASE("ten thousand connections that hang give ten thousand records") {
    const auto number = static_cast<std::size_t>(tests::in_bulk(10'000));
    if (common::allow_descriptors() < number + 100) {
        MESSAGE("skipped: this shell does not allow enough descriptors");
        return;
    }
    const practice_site::BackgroundServer server(
        [](const practice_site::Request&) { return practice_site::Answer{}; },
        {.latency = 1h});
    std::vector<std::string> arguments{
        "-w", std::to_string(number), "--max-tries", "1",    "--fetch-timeout",
        "3",  "--no-robots",          "--format",    "jsonl"};
    for (std::size_t i = 0; i < number; ++i)
        arguments.push_back(fmt::format("{}{}", server.url(), i));
    const Finished finished = run_stage3(arguments, {.time_limit = 100s});
    CHECK(finished.status == 1);
    const auto found = by_outcome(finished.out);
    CHECK(found.size() == 1);
    CHECK(found.at("failed").size() == number);
    CHECK(
        std::set<std::string>(found.at("failed").begin(), found.at("failed").end()).size()
        == number);
}
