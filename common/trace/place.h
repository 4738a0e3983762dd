// Where a coroutine is.
//
// A debugger shows who called whom by walking the machine's stack, and a suspended
// coroutine is not on that stack. But its frame can record where it is and which
// coroutine awaits it, so the chain can be shown all the same. Page 09 of the book.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// Where a coroutine is.
struct Place {
    std::source_location function; ///< any place in its function, for the name
    std::source_location line;     ///< the co_yield or co_await that it reached last; the
                                   ///< same as `function` if it has reached none
};

/// True if it has reached no co_yield or co_await yet. Then only its file is known: g++
/// 12 reports the closing brace of a coroutine as the line where it begins.
bool has_only_begun(const Place& place);

/// "Generator<int, int> stage2::count(int)" → "stage2::count".
std::string short_name(std::string_view function_name);

/// What the last coroutine of a chain does; all others wait for the next one.
enum class Last : std::uint8_t {
    has_gone_on, ///< from its line: something happened after that
    waits,       ///< there
};

/// The places in words, one per line. `chain` begins with the outermost. The middle of a
/// chain of thousands is left out.
std::string describe(const std::vector<Place>& chain, Last last = Last::has_gone_on);

} // namespace common
