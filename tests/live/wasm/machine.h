// What a module's doors want to know of the machine that it runs on.
#pragma once

#include <string>

namespace tests::live {

/// What the program has printed since this was called last.
std::string take_printed();

} // namespace tests::live
