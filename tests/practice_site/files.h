// A folder of real files as a web site: `practice_site --root DIR`.
//
// The danger of every file server is the path that leads out of its folder: "/../../etc",
// the same in percent-encoding, a symbolic link. So there are two doors. The path as
// asked for must not climb; and where it really ends, with all links followed, must be
// inside.
#pragma once

#include "tests/practice_site/http.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace practice_site {

class Folder {
  public:
    /// Throws std::filesystem::filesystem_error if there is no such folder.
    explicit Folder(const std::filesystem::path& root);

    /// The handler for a server: a file; a folder's index.html, or a list of what is in
    /// it; a redirect to the URL with a slash at its end, for a folder without; 404 for
    /// all else, and for what lies outside as if it were not there.
    ///
    /// It reads a file whole, and the server can do nothing else meanwhile: a selector
    /// calls every regular file ready (man 2 select), however slow the disk is.
    Answer answer(const Request& request) const;

  private:
    /// Where the path really ends; empty if nowhere, or outside the folder.
    std::filesystem::path resolve(const std::filesystem::path& path) const;
    Answer answer_folder(const std::filesystem::path& folder,
                         std::string_view name) const;

    std::filesystem::path root_;
};

/// What to call a file's content: "text/html" for "a.html"; by the name's end alone.
std::string content_type(const std::filesystem::path& file);

} // namespace practice_site
