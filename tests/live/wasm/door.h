// What is behind a module's door.
#pragma once

#include <string>
#include <string_view>

namespace tests::live {

/// Each module has its own.
std::string answer(std::string_view text);

} // namespace tests::live
