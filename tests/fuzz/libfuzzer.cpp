// The entry point for libFuzzer.
#include "tests/fuzz/fuzz.h"

#include <cstddef>
#include <cstdint>

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::fuzz({reinterpret_cast<const char*>(data), size});
    return 0;
}
