#include "stage3_queue_crawler/program/formats/sources.h"

#include "common/web/percent_encoding.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <fmt/core.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace stage3 {
namespace {

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// A URL may have anything between its slashes; a file must not be outside its folder.
bool stays_inside(std::string_view path) {
    if (path.find('\0') != std::string_view::npos || path.starts_with('/'))
        return false;
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        if (path.substr(begin, end - begin) == "..")
            return false;
        begin = end + 1;
    }
    return true;
}

std::optional<std::string> file_in(const std::string& folder, std::string_view path) {
    const std::string name = common::percent_decoded(path.substr(0, path.find('?')));
    if (!stays_inside(name))
        return {};
    const std::string file = folder + name;
    const bool is_folder = file.empty() || file.ends_with('/');
    for (const std::string& each :
         {is_folder ? file + "index.html" : file, file + ".html", file + "/index.html",
          file + (is_folder ? "index.htm" : ".htm")})
        if (is_file(each))
            return each;
    return {};
}

} // namespace

Source read_source(std::string_view text) {
    const auto equals = text.rfind('=');
    if (equals == std::string_view::npos)
        throw std::invalid_argument(
            "is no URL=FOLDER, such as https://example.org/=public");
    std::string url(text.substr(0, equals));
    std::string folder(text.substr(equals + 1));
    if (url.find('?') != std::string::npos || url.find('#') != std::string::npos)
        throw std::invalid_argument("has a URL that isn't a folder's");
    if (!url.ends_with('/'))
        url += '/';
    const auto parsed = common::parse_url(url);
    if (!parsed)
        throw std::invalid_argument(
            fmt::format("has no http or https URL before the last '='"));
    std::error_code error;
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
        throw std::invalid_argument(fmt::format("names no folder: '{}'", folder));
    while (folder.starts_with("./"))
        folder.erase(0, 2);
    if (folder == ".")
        folder.clear();
    if (!folder.empty() && !folder.ends_with('/'))
        folder += '/';
    return {.url = *parsed, .folder = std::move(folder)};
}

std::optional<std::string> file_of(std::string_view page, const Sources& sources) {
    const Source* best = nullptr;
    for (const Source& source : sources)
        if (page.starts_with(name_of(source.url))
            && (best == nullptr || source.url.href().size() > best->url.href().size()))
            best = &source;
    if (best == nullptr)
        return {};
    return file_in(best->folder, page.substr(name_of(best->url).size()));
}

} // namespace stage3
