// The script that Redis runs, as part of the program: the files in frontier/, as one.
#pragma once

#include <string_view>

namespace stage3 {

/// Its text. See frontier/6_operations.lua for what it takes and returns.
std::string_view frontier_script();

} // namespace stage3
