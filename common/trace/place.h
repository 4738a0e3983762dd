// Where a coroutine stands.
//
// A debugger shows who called whom by walking the machine's stack. A coroutine that waits
// is not on that stack. But each can know in its frame where it stands, and who waits for
// it, so a chain of them can be shown all the same. Told in book/09 (errors that know
// where they came from).
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace common {

// [place]
/// Where one coroutine stands.
struct Place {
    std::source_location function; ///< any place in its function: for the name
    std::source_location line; ///< of the co_yield or co_await that it reached last; the
                               ///< same as `function` if it has reached none
};
// [/place]

/// True if it has reached no co_yield or co_await yet. Then only its file is known: g++
/// 12 takes the closing brace of a coroutine for the line where it begins.
bool has_only_begun(const Place& place);

/// "Generator<int, int> stage2::count(int)" → "stage2::count".
std::string short_name(std::string_view function_name);

/// What the last coroutine of a chain does; all others wait for the next one.
enum class Last : std::uint8_t {
    has_gone_on, ///< from its line; something has happened behind that
    waits,       ///< there
};

/// The places as a person reads them, a line for each. `chain`: the outermost first. Of a
/// chain of thousands, the middle is left out.
std::string describe(const std::vector<Place>& chain, Last last = Last::has_gone_on);

} // namespace common
