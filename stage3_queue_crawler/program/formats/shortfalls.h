// Why a crawl isn't complete, for all formats: a report that only lists what is dead
// would look like good news.
#pragma once

#include "stage3_queue_crawler/program/formats/format.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

struct Shortfall {
    enum class Kind : std::uint8_t { nothing_checked, cut_short, left_out };
    Kind kind;
    std::string why; ///< printable ASCII, in one line
};

/// "nothing checked", "cut short", "left out".
std::string_view name_of(Shortfall::Kind kind);
/// The same, at the beginning of a sentence.
std::string title_of(Shortfall::Kind kind);

/// "16 links beyond --max-links (10000), on http://h/".
std::string describe(const LeftOut& links);

std::vector<Shortfall> shortfalls_of(const Summary& summary);

} // namespace stage3
