#include "stage3_queue_crawler/program/remaps.h"

#include "common/command_line/usage_error.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace stage3 {
namespace {

namespace fs = std::filesystem;

/// With a slash at its end. Throws std::invalid_argument if it isn't one.
common::Url read_folder_url(const std::string& text, std::string_view which) {
    const bool has_scheme = text.starts_with("http://") || text.starts_with("https://");
    if (text.find('?') != std::string::npos || text.find('#') != std::string::npos)
        throw std::invalid_argument(
            fmt::format("has a query or a fragment {} the '='", which));
    const std::string folder = text.ends_with('/') ? text : text + '/';
    const auto url = has_scheme ? common::parse_url(folder) : std::nullopt;
    if (!url)
        throw std::invalid_argument(
            fmt::format("has no http or https URL {} the '='", which));
    return *url;
}

/// As `folder` was given, with a slash at the end: for annotations; empty: it's the
/// current one.
std::string source_folder(const fs::path& folder) {
    const std::string text = folder.lexically_normal().string();
    if (text == "." || text == "./")
        return {};
    return text.ends_with('/') ? text : text + '/';
}

} // namespace

Remap read_remap(const std::string& text) {
    const auto equals = text.rfind('=');
    if (equals == std::string::npos)
        throw std::invalid_argument("is no FROM=TO, such as https://example.org=public");
    Remap remap{.option = text,
                .from = read_folder_url(text.substr(0, equals), "before")};
    std::string to = text.substr(equals + 1);
    if (to.find("://") != std::string::npos) {
        remap.to = read_folder_url(to, "after");
        return remap;
    }
    std::error_code error;
    if (to.empty() || !fs::is_directory(to, error))
        throw std::invalid_argument(
            fmt::format("names neither a folder nor a URL after the '=': '{}'", to));
    remap.folder = std::move(to);
    return remap;
}

Sources sources_of(const std::vector<Remap>& remaps) {
    Sources sources;
    for (const Remap& remap : remaps)
        if (!remap.to)
            sources.push_back({.url = remap.from, .folder = source_folder(remap.folder)});
    return sources;
}

ServedElsewhere::ServedElsewhere(const std::vector<Remap>& remaps) {
    auto mappings = std::make_shared<UrlMappings>();
    for (const Remap& remap : remaps) {
        if (remap.to) {
            mappings->add({.from = remap.from, .to = *remap.to});
            continue;
        }
        try {
            servers_.push_back(std::make_unique<FolderServer>(remap.folder));
        } catch (const std::system_error& error) {
            throw common::UsageError(fmt::format("the folder '{}' can't be served: {}",
                                                 remap.folder, error.code().message()));
        }
        mappings->add(
            {.from = remap.from, .to = servers_.back()->url(), .is_folder = true});
    }
    mappings_ = std::move(mappings);
}

void ServedElsewhere::start_in(TaskGroup& group) {
    for (const auto& server : servers_)
        group.start(server->serve(), "folder server");
}

std::vector<std::string> unused(const std::vector<Remap>& remaps,
                                const UrlMappings& mappings) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < remaps.size(); ++i)
        if (mappings.all()[i].used == 0 && !remaps[i].option.empty())
            lines.push_back(fmt::format("--remap {}: nothing that was asked for is below "
                                        "{}",
                                        remaps[i].option, remaps[i].from.href()));
    return lines;
}

} // namespace stage3
