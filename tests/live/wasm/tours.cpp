// A module for tests: the tours of pages 10 to 12, as they are. In goes "1", "2" or "3";
// out comes the tour's trace, or what is wrong.
#include "tests/live/crawl.h"
#include "tests/live/wasm/door.h"
#include "tests/live/wasm/machine.h"

#include <array>

#define main tour_main
#include "stage3_queue_crawler/tours/runtime_tour_main.cpp"
#undef main

std::string tests::live::answer(std::string_view text) {
    int status = 1;
    std::string trace = written_by([&](const std::string& file) {
        std::string name = "runtime_tour", which(text), trace_file = file;
        std::array<char*, 4> arguments{name.data(), which.data(), trace_file.data(),
                                       nullptr};
        status = tour_main(3, arguments.data());
    });
    const std::string printed = take_printed();
    return status == 0 ? trace : printed;
}
