// Tries the files of a folder, and each of them also cut short and changed a little. The
// inputs are the same on every machine, and no fuzzer is needed.
//
//     url_replay tests/fuzz/seeds/url 2000
//
// The number says how many changes of each are tried.
#include "tests/fuzz/fuzz.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

std::string_view input_now;

/// Prints the input for which a property didn't hold or the program crashed.
extern "C" void show_input(int signal) {
    std::fputs("the input: \"", stderr);
    for (const char c : input_now) {
        const auto byte = static_cast<unsigned char>(c);
        std::fprintf(stderr, byte > ' ' && byte < 0x7f ? "%c" : "\\x%02x", byte);
    }
    std::fputs("\"\n", stderr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void try_input(std::string_view input) {
    input_now = input;
    tests::fuzz(input);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3)
        return 2;
    std::signal(SIGABRT, show_input);
    std::signal(SIGSEGV, show_input);
    const int changes = std::atoi(argv[2]); // NOLINT(cert-err34-c): meson.build has it
    std::size_t files = 0;
    std::size_t tried = 0;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string input{std::istreambuf_iterator<char>(file), {}};
        ++files;
        for (std::size_t length = 0; length <= input.size(); ++length, ++tried)
            try_input(std::string_view(input).substr(0, length));
        // A sequence of numbers that look random and are always the same.
        std::uint32_t number = 1;
        for (int times = 0; times < changes && !input.empty(); ++times, ++tried) {
            std::string changed = input;
            for (int change = 0; change < 3; ++change) {
                number = number * 1664525U + 1013904223U;
                changed[number / 7 % changed.size()] = static_cast<char>(number >> 24U);
            }
            try_input(changed);
        }
    }
    std::printf("%zu files, %zu inputs\n", files, tried);
    return files == 0 ? 1 : 0;
}
