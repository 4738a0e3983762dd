// What the user has typed, as a report may show it to others.
//
// The reader of a report wants to know what was checked. But a report is put on servers
// and sent around, so nothing that is secret may be in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// The words after the program's name in one line, in quotes where a shell needs them.
/// Headers, and servers of a shared crawl, become "***"; so do users and passwords in
/// URLs. `config`: a file of options that was read though no word names it; or empty.
std::string typed_line(const std::vector<std::string>& words, std::string_view config);

} // namespace stage3
