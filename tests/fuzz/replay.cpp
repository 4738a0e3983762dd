// Tries the seeds of a file, and each of them also cut short and changed a little. The
// inputs are the same on every machine, and no fuzzer is needed.
//
//     url_replay tests/fuzz/seeds/url.txt 2000
//     url_replay tests/fuzz/seeds/url.txt corpus
//
// The number says how many changes of each are tried. With a folder instead, each seed is
// written there as a file of its own, which is what libFuzzer begins with.
//
// A line "---- NAME" stands before each seed. What is below, up to the next such line, is
// the seed, without its last line end.
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
#include <vector>

namespace {

struct Seed {
    std::string name, input;
};

std::vector<Seed> read_seeds(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string mark = "\n---- ";
    const std::string text = "\n" + std::string{std::istreambuf_iterator<char>(file), {}};
    std::vector<Seed> seeds;
    if (!text.ends_with('\n'))
        return seeds; // its last line has no end, so it has been damaged
    for (std::size_t begin = text.find(mark); begin != std::string::npos;) {
        begin += mark.size();
        const std::size_t line_end = text.find('\n', begin);
        if (line_end == std::string::npos)
            break;
        const std::size_t end = text.find(mark, line_end + 1);
        const std::size_t last = end == std::string::npos ? text.size() - 1 : end;
        seeds.push_back({text.substr(begin, line_end - begin),
                         text.substr(line_end + 1, last - line_end - 1)});
        begin = end;
    }
    return seeds;
}

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
    const std::vector<Seed> seeds = read_seeds(argv[1]);
    if (const std::filesystem::path folder = argv[2]; is_directory(folder)) {
        for (const auto& [name, input] : seeds)
            std::ofstream(folder / name, std::ios::binary) << input;
        return seeds.empty() ? 1 : 0;
    }
    const int changes = std::atoi(argv[2]); // NOLINT(cert-err34-c): meson.build has it
    std::size_t tried = 0;
    for (const auto& [name, input] : seeds) {
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
    std::printf("%zu seeds, %zu inputs\n", seeds.size(), tried);
    return seeds.empty() ? 1 : 0;
}
