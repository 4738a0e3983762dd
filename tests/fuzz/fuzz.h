// What a fuzzer and the replay of its inputs have in common. Each *_fuzz.cpp defines
// `fuzz`; it is linked with libFuzzer, which invents inputs, or with replay.cpp, which
// reads them from a file.
//
//     export CXX=clang++-19 CXXFLAGS=-fsanitize=fuzzer-no-link
//     sanitize='-Db_lundef=false -Db_sanitize=address,undefined'
//     meson setup build-fuzz -Dfuzzers=true $sanitize
//     ninja -C build-fuzz
//     mkdir corpus
//     build-fuzz/tests/fuzz/url_replay tests/fuzz/seeds/url.txt corpus
//     build-fuzz/tests/fuzz/url_fuzzer -max_total_time=600 corpus
//
// The replay is a separate test (suite "fuzz") that needs no fuzzer. `./learn trace` is
// written in Python, and so is trace_fuzz.py, which invents its inputs.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tests {

/// Tries one input. Whatever it is, no exception may come out, and everything that is
/// `require`d must hold.
void fuzz(std::string_view input);

/// Ends the program with a message if a property doesn't hold, which is how a fuzzer
/// notices.
inline void require(bool holds, const char* property) {
    if (holds)
        return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

} // namespace tests
