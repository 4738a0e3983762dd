// The files that a site's pages are made of.
//
// Services that show what is wrong in a repository's files know nothing of URLs. If the
// user says which folder is served at which URL, a page is a file there. Page 33 of the
// book.
#pragma once

#include "common/web/url.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// What is served below a URL.
struct Source {
    common::Url url;    ///< ends with a slash
    std::string folder; ///< ends with a slash, or is empty
};
using Sources = std::vector<Source>;

/// Reads "https://example.org/docs/=public/docs". Throws std::invalid_argument, which
/// says what is wrong.
Source read_source(std::string_view text);

/// The path of the file that a page is, as `folder` begins: the one of that name, or with
/// ".html", or the index of a folder. The longest URL counts. Nothing if there is none.
std::optional<std::string> file_of(std::string_view page, const Sources& sources);

} // namespace stage3
