// A path without "." and "..".
#pragma once

#include <string>
#include <string_view>

/// The path of a URL, which begins with a slash, without its dot segments:
///  - a segment "." is taken out;
///  - a segment ".." is taken out, and the one in front of it, if there is one;
///  - if one of these is the last segment, what is left is a folder and ends in a slash;
///  - "%2e" and "%2E" are other spellings of "." here;
///  - all other segments stay as they are, also empty ones: "/a//b".
/// Defined in yours.cpp.
std::string without_dots(std::string_view path);
