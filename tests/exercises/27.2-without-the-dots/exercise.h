// A path without "." and "..".
#pragma once

#include <string>
#include <string_view>

/// The path of a URL, which begins with a slash, without its dot segments:
///  - a segment "." is removed;
///  - a segment ".." is removed together with the one before it, if there is one;
///  - if the last segment is one of these, the result is a folder and ends in a slash;
///  - "%2e" and "%2E" are other spellings of "." here;
///  - all other segments stay as they are, even empty ones: "/a//b".
/// Defined in yours.cpp.
std::string without_dots(std::string_view path);
