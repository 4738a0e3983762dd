#include "common/web/character_names.h"

#include "common/web/character_names_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace common {
namespace {

/// Where an entry of the table is. Numbers, since views would have to be filled in each
/// time that the program starts: an address depends on where it is loaded.
struct Entry {
    std::uint16_t begin = 0;
    std::uint16_t name_end = 0; // without the semicolon
    std::uint16_t equals = 0;
    std::uint16_t end = 0;
};
static_assert(character_names_table.size() <= 0xffff);

constexpr std::string_view part(std::uint16_t begin, std::uint16_t end) {
    return {character_names_table.data() + begin, static_cast<std::size_t>(end - begin)};
}
constexpr std::string_view name_of(const Entry& entry) {
    return part(entry.begin, entry.name_end);
}

constexpr auto entries = [] {
    std::array<Entry, 2125> result;
    const char* const begin = character_names_table.data();
    const char* p = begin;
    for (Entry& entry : result) {
        const auto here = [&] { return static_cast<std::uint16_t>(p - begin); };
        entry.begin = here();
        while (*p != '=')
            ++p;
        entry.equals = here();
        entry.name_end = static_cast<std::uint16_t>(here() - (p[-1] == ';' ? 1 : 0));
        while (*p != ' ')
            ++p;
        entry.end = here();
        ++p;
    }
    return result;
}();
static_assert(entries.back().end + 1U == character_names_table.size());

} // namespace

CharacterName character_name(std::string_view name) {
    if (name == "amp") // nearly all that there are in links
        return {.characters = "&"};
    const auto* const entry = std::ranges::lower_bound(entries, name, {}, name_of);
    if (entry == entries.end() || name_of(*entry) != name)
        return {};
    return {.characters = part(static_cast<std::uint16_t>(entry->equals + 1), entry->end),
            .needs_semicolon = entry->name_end != entry->equals};
}

} // namespace common
