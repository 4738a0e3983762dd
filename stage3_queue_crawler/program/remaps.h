// What is served somewhere else: by a test server, or from a folder on this machine.
//
// The user says so with `--remap`, or by giving a folder where a URL could stand. Here
// that is read, and folders get their servers. Page 32 of the book.
#pragma once

#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/scope.h"
#include "stage3_queue_crawler/http/folder_server.h"
#include "stage3_queue_crawler/http/url_mappings.h"
#include "stage3_queue_crawler/program/formats/sources.h"
#include "stage3_queue_crawler/runtime/task/task_group.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// What is meant by `from` is at `to`, or in a folder.
struct Remap {
    std::string option; ///< as it was typed after --remap; empty: the folder is a root
    common::Url from;   ///< ends with a slash
    std::optional<common::Url> to = {}; ///< ends with a slash; nothing: it's a folder
    std::string folder = {};
};

/// Reads "https://example.org/docs=public" or
/// "https://example.org=http://localhost:8000". Throws std::invalid_argument, which says
/// what is wrong.
Remap read_remap(const std::string& text);

/// As it was given, with a slash at the end; empty: it's the current one.
std::string source_folder(const std::filesystem::path& folder);

/// The text of the URL that a file in a folder has, if the folder is at `folder`, which
/// ends with a slash.
std::string href_of_file(std::string_view folder, std::string_view file);

/// The files of those that are folders, for annotations.
Sources sources_of(const std::vector<Remap>& remaps);

/// Folders' servers, and what is served where.
class ServedElsewhere {
  public:
    /// Their servers listen at once. Throws common::UsageError if a folder can't be read.
    explicit ServedElsewhere(const std::vector<Remap>& remaps);

    /// In the order of `remaps`.
    const std::shared_ptr<const UrlMappings>& mappings() const { return mappings_; }
    /// They serve until the group's tasks are asked to end. This must outlive that.
    void start_in(TaskGroup& group);

  private:
    std::vector<std::unique_ptr<FolderServer>> servers_;
    std::shared_ptr<const UrlMappings> mappings_;
};

/// The options that no request of a whole crawl has needed, one per line.
std::vector<std::string> unused(const std::vector<Remap>& remaps,
                                const UrlMappings& mappings, const KnownUrls& urls);

/// Pages in a folder that the crawl doesn't know, though they are in its scope.
struct Unreached {
    std::size_t pages = 0;
    std::size_t all = 0;      ///< pages in the folder
    std::string example = {}; ///< what the first one is called
};
/// `remap` must be a folder's. Looks at its files by their names; a page for what is
/// missing is none.
Unreached find_unreached(const Remap& remap, const KnownUrls& urls, const Scope& scope);

/// The same in words, with what may be the reason; empty if all are reached.
std::string describe(const Unreached& unreached, const Remap& remap);

} // namespace stage3
