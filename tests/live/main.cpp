// crawl: the crawl that a page lets its readers change, as a program for this machine.
//
//     crawl workers=2 room=1               one run: its outcome in a line, then its trace
//     crawl --trace FILE workers=2 room=1  the trace goes to that file
//     crawl < FILE                         a run for each line of a file
//     crawl '?'                            all settings, and what they may be, in a line
//
// settings.h has the settings. It is the twin of what a page runs, and so it has the same
// door, and the same text comes out of it. Exit status: 1 if a setting is wrong or
// nothing can be written; 2 if it's called in another way.
#include "common/text/join.h"
#include "tests/live/crawl.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Words = std::vector<std::string_view>;

bool print(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

bool print_run(std::string_view settings) {
    const std::string result = tests::live::run(settings);
    return print(result) && !result.starts_with("{\"error\"");
}

bool print_each_run() {
    bool all_well = true;
    for (std::string line; std::getline(std::cin, line);)
        all_well = print_run(line) && all_well;
    return all_well;
}

bool write_trace(const std::string& file, std::string_view settings) {
    try {
        return print(describe(crawl(tests::live::read_settings(settings), file)) + '\n');
    } catch (const std::exception& error) {
        std::cerr << "crawl: " << error.what() << '\n';
        return false;
    }
}

} // namespace

int main(int argc, char** argv) {
    Words words(argv + 1, argv + argc);
    std::string trace_file;
    const bool has_file = words.size() > 1 && words.front() == "--trace";
    if (has_file) {
        trace_file = words[1];
        words.erase(words.begin(), words.begin() + 2);
    }
    if (std::ranges::any_of(words, [](auto word) { return word.starts_with('-'); })) {
        std::cerr << "crawl: call it like this: crawl --trace FILE workers=2 room=1\n"
                     "Without --trace FILE, the trace is printed. crawl '?' prints all "
                     "settings.\n";
        return 2;
    }
    const std::string settings = common::join(words, " ");
    bool all_well = false;
    if (has_file)
        all_well = write_trace(trace_file, settings);
    else
        all_well = words.empty() ? print_each_run() : print_run(settings);
    return std::fflush(stdout) == 0 && all_well ? 0 : 1;
}
