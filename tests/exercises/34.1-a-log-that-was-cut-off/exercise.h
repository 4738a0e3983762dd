// A log of answers, which a process may have left in the middle of a write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The text of the record that ends a transaction.
constexpr std::string_view commit = "commit";
/// A record begins with its length and its checksum, four bytes each.
constexpr std::size_t head_size = 8;

/// FNV-1a: other texts, nearly always, have other checksums.
inline std::uint32_t checksum(std::string_view text) {
    std::uint32_t sum = 2'166'136'261U;
    for (const char c : text)
        sum = (sum ^ static_cast<unsigned char>(c)) * 16'777'619U;
    return sum;
}

/// The number that the first four bytes are, the lowest one first. There must be four.
inline std::uint32_t number_at_front(std::string_view bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number |= std::uint32_t{static_cast<unsigned char>(bytes.at(i))} << (8 * i);
    return number;
}

/// The answers in a log, in their order: those of each transaction that is there to its
/// end, up to the first record that is cut off or damaged. Never throws.
std::vector<std::string> read_log(std::string_view bytes);
