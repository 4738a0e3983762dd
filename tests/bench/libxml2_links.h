// The shortest way to a page's links: libxml2's HTML parser. It was this project's first
// link parser. Now ours is compared with it: page 27 of the book.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tests {

/// The references of a page, as they are written in it: href of a and area, src of
/// frame and iframe.
std::vector<std::string> libxml2_references(std::string_view page);

/// An absolute URL, by libcurl's URL API; empty if it finds none.
std::string libcurl_resolve(const std::string& reference, const std::string& base);

} // namespace tests
