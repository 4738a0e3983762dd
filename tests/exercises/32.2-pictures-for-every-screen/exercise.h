// The URLs in a list of images.
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The URLs in the value of a srcset, in order:
///  - blanks and commas in front of a URL are skipped;
///  - a URL ends at the next blank (' ', or '\n') or at the end of the text;
///  - commas at the end of a URL are no part of it, and nothing follows that URL;
///  - after any other URL may come its size, such as "2x" or "100w", up to a comma.
/// Defined in yours.cpp.
std::vector<std::string> images_of(std::string_view srcset);
