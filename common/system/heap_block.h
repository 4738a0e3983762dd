// What is in a block of the heap, for programs that look at coroutine frames (pages 05
// and 18a of the book). No other program should: the layout of a frame is up to the
// compiler.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace common {

/// How many bytes the heap has set aside for a block; 0 if there is no way to know.
inline std::size_t size_on_heap(const void* block) {
#if defined(__GLIBC__)
    return ::malloc_usable_size(const_cast<void*>(block)); // it only looks
#else
    static_cast<void>(block);
    return 0;
#endif
}

/// The current bytes of a block.
inline std::vector<unsigned char> bytes_of(const void* block) {
    std::vector<unsigned char> bytes(size_on_heap(block));
    if (!bytes.empty())
        std::memcpy(bytes.data(), block, bytes.size());
    return bytes;
}

/// Where a frame records the place at which its coroutine resumes. Compilers number these
/// places, so it looks for a byte that counts up in small steps from one place to the
/// next. The last one if there are several, and none if there is none.
inline std::optional<std::size_t>
number_of_place(const std::vector<unsigned char>& at_first,
                const std::vector<unsigned char>& at_one,
                const std::vector<unsigned char>& at_two) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < at_first.size(); ++i) {
        const int step = at_one[i] - at_first[i];
        if ((step == 1 || step == 2) && at_two[i] == at_one[i] + step && at_two[i] < 8)
            found = i;
    }
    return found;
}

} // namespace common
