// A quick hash for tables of short texts, eight bytes at a time.
//
// std::hash goes through a function in a library, which takes as long as finding a link's
// text in a page. This one is in a header. It begins with a number drawn when the program
// starts, so nobody can write links that all belong in one slot of a table. For the same
// reason, nothing that outlives the program may depend on it, nor any order. Page 27 of
// the book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace common {

/// The product's upper and lower half, folded, so that each bit of the result depends on
/// all bits of both. (Without 128-bit numbers, nearly so.)
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product)
           ^ static_cast<std::uint64_t>(product >> 64U);
#else
    const std::uint64_t product = a * b;
    return product ^ (product >> 32U) ^ ((a >> 32U) * (b >> 32U));
#endif
}

/// Up to eight bytes as a number; different ones for different texts of one length.
inline std::uint64_t word_of(std::string_view text) {
    const char* const bytes = text.data();
    const std::size_t size = text.size();
    if (size >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, 8);
        return word;
    }
    if (size >= 4) { // the two overlap
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, bytes, 4);
        std::memcpy(&last, bytes + size - 4, 4);
        return (std::uint64_t{first} << 32U) | last;
    }
    const auto byte = [bytes](std::size_t i) {
        return std::uint64_t{static_cast<unsigned char>(bytes[i])};
    };
    return size == 0 ? 0 : (byte(0) << 16U) | (byte(size / 2) << 8U) | byte(size - 1);
}

/// Differs from one run of a program to the next.
inline std::uint64_t hash_of(std::string_view text) {
    static const std::uint64_t seed = [] {
        std::random_device random;
        return (std::uint64_t{random()} << 32U) | random();
    }();
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    const std::size_t size = text.size();
    std::uint64_t hash = seed;
    for (; text.size() > 8; text.remove_prefix(8))
        hash = folded_product(hash ^ word_of(text.substr(0, 8)), factor);
    return folded_product(hash ^ word_of(text), factor ^ size);
}

} // namespace common
