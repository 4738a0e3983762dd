// A folder of real files as a web site: `practice_site --root DIR`.
//
// The danger of every file server is a path that leads out of its folder: "/../../etc",
// the same in percent-encoding, a symbolic link. So there are two checks. The requested
// path must not climb, and the place where it really ends, with all links followed, must
// be inside.
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

    /// The handler for a server. It answers with a file; with a folder's index.html or a
    /// list of what is in the folder; with a redirect to the URL with a final slash for a
    /// folder without one; and with 404 for anything else, including whatever is outside.
    ///
    /// It reads a whole file at once, and the server can do nothing else meanwhile: a
    /// selector reports every regular file as ready (man 2 select), however slow the disk
    /// is.
    Answer answer(const Request& request) const;

  private:
    /// Where the path really ends; empty if nowhere, or outside the folder.
    std::filesystem::path resolve(const std::filesystem::path& path) const;
    Answer answer_folder(const std::filesystem::path& folder,
                         std::string_view name) const;

    std::filesystem::path root_;
};

/// The type of a file's content, from its name alone: "text/html" for "a.html".
std::string content_type(const std::filesystem::path& file);

} // namespace practice_site
