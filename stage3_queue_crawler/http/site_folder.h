// Which file in a folder is it that a browser asks for?
//
// The hosts that publish a folder as a site agree on nearly all: a folder is its
// index.html, "/about" may be the file about.html, and what isn't there is 404.html. No
// answer may come from outside the folder, whatever the URL says, and wherever a symbolic
// link leads. Page 32 of the book.
#pragma once

#include "common/system/socket.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stage3 {

/// What there is for a request.
struct SiteFile {
    enum class Kind : std::uint8_t {
        file,
        folder,  ///< its URL should end with a slash
        missing, ///< the file, if there is one, is the folder's 404.html
        refused, ///< there is something, and `why` says why it isn't served
        busy,    ///< there is no descriptor left for it now
    };
    Kind kind = Kind::missing;
    common::Socket descriptor = {}; ///< open for reading
    std::uintmax_t size = 0;        ///< in bytes, when it was opened
    std::string type = {};          ///< for Content-Type
    std::string version = {};       ///< changes with the file: for ETag
    std::string why = {};
};

class SiteFolder {
  public:
    /// Throws std::system_error if it isn't there, or no folder, or can't be read.
    explicit SiteFolder(const std::filesystem::path& folder);

    /// `target` is a path and perhaps a query, percent-encoded: "/a%20b?q". A segment
    /// with an encoded slash or zero, or of dots, names no file. Throws nothing but
    /// std::bad_alloc.
    SiteFile find(std::string_view target) const;

  private:
    SiteFile look_up(std::string_view name) const;
    bool has_inside(const std::filesystem::path& real) const;
    SiteFile open(const std::filesystem::path& path) const;
    SiteFile missing() const;

    std::filesystem::path folder_; // without symbolic links in it
};

/// The type of a file, by its name's extension; application/octet-stream if that's
/// unknown. Without a charset: HTML says its own.
/// Source: https://www.iana.org/assignments/media-types
std::string_view type_of_file(const std::filesystem::path& path);

} // namespace stage3
