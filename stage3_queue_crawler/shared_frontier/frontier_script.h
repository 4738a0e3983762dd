// The script frontier.lua, as part of the program.
#pragma once

#include <string_view>

namespace stage3 {

/// Its text. See frontier.lua for what it takes and returns.
std::string_view frontier_script();

} // namespace stage3
