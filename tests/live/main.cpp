// crawl: the crawl that a page lets its readers change, as a program for this machine.
//
//     crawl workers=2 room=1      one run: its outcome in a line, then its trace
//     crawl < FILE                the same for each line of a file
//     crawl '?'                   all settings, and what they may be, in a line
//
// settings.h has the settings. It is the twin of what a page runs, and so it has the same
// door, and the same text comes out of it. Exit status: 1 if a setting is wrong.
#include "tests/live/crawl.h"

#include <cstdio>
#include <iostream>
#include <string>

namespace {

bool print_run(const std::string& settings) {
    const std::string result = tests::live::run(settings);
    const bool is_wrong = result.starts_with("{\"error\"");
    const bool is_printed =
        std::fwrite(result.data(), 1, result.size(), stdout) == result.size();
    return is_printed && !is_wrong;
}

} // namespace

int main(int argc, char** argv) {
    bool all_well = true;
    std::string line;
    if (argc > 1) {
        for (int i = 1; i < argc; ++i)
            line.append(i > 1 ? " " : "").append(argv[i]);
        all_well = print_run(line);
    } else {
        while (std::getline(std::cin, line))
            all_well = print_run(line) && all_well;
    }
    return std::fflush(stdout) == 0 && all_well ? 0 : 1;
}
