// Roots that are folders or files on this machine.
//
// "public/" and "./index.html" name no server, so the crawl makes one for them: see
// remaps.h. A name that could be a host's is one, unless only a folder fits: wget calls
// its folders "example.org". Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/program/remaps.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stage3 {

/// A page in a folder on this machine.
struct LocalRoot {
    std::filesystem::path folder;
    std::string page;          ///< its name; empty: the folder's index
    bool has_fragment = false; ///< behind the path
};

/// The path in "/srv", "./docs" or "file:///srv"; empty if there is none.
std::string written_path(const std::string& text);

/// Nothing if `text` names no folder or file here, but perhaps a host. Throws
/// common::UsageError if it's a path at which there is no such thing, or a folder without
/// an index.html.
std::optional<LocalRoot> local_root(const std::string& text);

/// The folders among the roots, and what their URLs are: see url_name.h.
class Folders {
  public:
    /// The same folder may come several times, spelled in several ways.
    void note(const std::filesystem::path& folder);
    /// To be called when all are noted, and before what follows.
    void name();

    /// What is served from where. Throws common::UsageError.
    std::vector<Remap> remaps() const;
    /// Its folder must have been noted. Throws common::UsageError.
    common::Url url_of(const LocalRoot& root) const;

  private:
    struct Folder {
        std::filesystem::path real;
        std::filesystem::path given;
        std::string origin = {};
    };
    std::vector<Folder> all_;
};

} // namespace stage3
