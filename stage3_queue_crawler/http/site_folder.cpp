#include "stage3_queue_crawler/http/site_folder.h"

#include "common/system/descriptors.h"
#include "common/text/ascii.h"
#include "common/web/percent_encoding.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace stage3 {
namespace {

namespace fs = std::filesystem;
using Kind = SiteFile::Kind;

constexpr std::array<std::pair<std::string_view, std::string_view>, 47> types{{
    {"atom", "application/atom+xml"},
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"eot", "application/vnd.ms-fontobject"},
    {"epub", "application/epub+zip"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"jsonld", "application/ld+json"},
    {"map", "application/json"},
    {"md", "text/markdown"},
    {"mjs", "text/javascript"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"otf", "font/otf"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"rss", "application/rss+xml"},
    {"shtml", "text/html"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xht", "application/xhtml+xml"},
    {"xhtml", "application/xhtml+xml"},
    {"xml", "application/xml"},
    {"zip", "application/zip"},
}};

/// The file's name below the folder, without its first slash; nothing if it can't name
/// one. "a//b" isn't "a/b" to every server, but to most.
std::optional<std::string> name_in(std::string_view target) {
    std::string name;
    target = target.substr(0, target.find('?'));
    while (!target.empty()) {
        target.remove_prefix(target.starts_with('/') ? 1 : 0);
        const auto end = std::min(target.find('/'), target.size());
        const std::string segment = common::percent_decoded(target.substr(0, end));
        target.remove_prefix(end);
        if (segment == "." || segment == ".."
            || segment.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
            return std::nullopt;
        if (segment.empty() && !target.empty())
            continue;
        name += name.empty() ? segment : '/' + segment;
    }
    return name;
}

constexpr std::string_view leads_out = "a symbolic link leads out of the folder";

SiteFile refused(std::string why) {
    SiteFile file;
    file.kind = Kind::refused;
    file.why = std::move(why);
    return file;
}

bool is_absent(const std::error_code& error) {
    return error == std::errc::no_such_file_or_directory
           || error == std::errc::not_a_directory
           || error == std::errc::filename_too_long;
}

} // namespace

std::string_view type_of_file(const fs::path& path) {
    const std::string extension = common::lower(path.extension().string());
    if (extension.size() > 1) {
        const auto* const known =
            std::ranges::find(types, std::string_view(extension).substr(1),
                              &std::pair<std::string_view, std::string_view>::first);
        if (known != types.end())
            return known->second;
    }
    return "application/octet-stream";
}

SiteFolder::SiteFolder(const fs::path& folder) : folder_(fs::canonical(folder)) {
    const fs::directory_iterator can_be_read(folder_);
}

SiteFile SiteFolder::find(std::string_view target) const {
    const auto name = name_in(target);
    return name ? look_up(*name) : missing();
}

/// The file itself, or with ".html", or the index of the folder.
SiteFile SiteFolder::look_up(std::string_view name) const {
    const fs::path path = folder_ / name;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::directory) {
        if (const fs::path real = fs::canonical(path, error); !error && !has_inside(real))
            return refused(std::string(leads_out));
        if (!name.empty() && !name.ends_with('/')) {
            SiteFile page = open(fs::path(path) += ".html");
            if (page.kind == Kind::missing)
                page.kind = Kind::folder;
            return page;
        }
        for (const char* const index : {"index.html", "index.htm"})
            if (SiteFile page = open(path / index); page.kind != Kind::missing)
                return page;
        return missing();
    }
    if (name.ends_with('/')) // a file is no folder
        return missing();
    SiteFile file = open(path);
    if (file.kind == Kind::missing)
        file = open(fs::path(path) += ".html");
    return file.kind == Kind::missing ? missing() : std::move(file);
}

/// `real` has no symbolic links in it.
bool SiteFolder::has_inside(const fs::path& real) const {
    return std::ranges::mismatch(folder_, real).in1 == folder_.end();
}

/// Without the page for what is missing.
SiteFile SiteFolder::open(const fs::path& path) const {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (is_absent(error))
        return {};
    if (error)
        return refused(error.message());
    if (!has_inside(real))
        return refused(std::string(leads_out));
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    SiteFile file{.kind = Kind::file,
                  .descriptor = common::Socket(::open(
                      real.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))};
    struct stat status{};
    if (!file.descriptor || ::fstat(file.descriptor.fd(), &status) != 0) {
        const std::error_code why(errno, std::generic_category());
        if (common::no_descriptor_left(why)) {
            file.kind = Kind::busy;
            return file;
        }
        return is_absent(why) ? SiteFile() : refused(why.message());
    }
    if (S_ISDIR(status.st_mode))
        return {};
    if (!S_ISREG(status.st_mode))
        return refused("it's no regular file");
    file.size = static_cast<std::uintmax_t>(status.st_size);
    file.type = type_of_file(path);
#ifdef __APPLE__
    const timespec changed = status.st_mtimespec;
#else
    const timespec changed = status.st_mtim;
#endif
    file.version =
        fmt::format("{:x}-{:x}-{:x}", file.size, changed.tv_sec, changed.tv_nsec);
    return file;
}

SiteFile SiteFolder::missing() const {
    SiteFile page = open(folder_ / "404.html");
    if (page.kind != Kind::file)
        page = {};
    page.kind = Kind::missing;
    return page;
}

} // namespace stage3
