// What `--version` prints.
#pragma once

#include <string>
#include <string_view>

namespace stage3 {

/// "0.1.0"
std::string_view version();

/// This program's version and those of its libraries, for a report of a fault: lines.
std::string versions();

} // namespace stage3
