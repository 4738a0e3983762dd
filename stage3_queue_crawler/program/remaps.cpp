#include "stage3_queue_crawler/program/remaps.h"

#include "common/command_line/usage_error.h"
#include "common/text/byte_set.h"
#include "common/text/counted.h"
#include "common/web/percent_encoding.h"
#include "stage3_queue_crawler/crawler/url_name.h"

#include <fmt/core.h>

#include <algorithm>
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
    if (common::login_in(text))
        throw std::invalid_argument(
            fmt::format("has a login {} the '=': give it in a root's URL", which));
    const std::string folder = text.ends_with('/') ? text : text + '/';
    const auto url = has_scheme ? common::parse_url(folder) : std::nullopt;
    if (!url)
        throw std::invalid_argument(
            fmt::format("has no http or https URL {} the '='", which));
    return *url;
}

} // namespace

std::string source_folder(const fs::path& folder) {
    const std::string text = folder.lexically_normal().string();
    if (text == "." || text == "./")
        return {};
    return text.ends_with('/') ? text : text + '/';
}

std::string href_of_file(std::string_view folder, std::string_view file) {
    constexpr common::ByteSet not_in_path = common::percent_encode_set("%?#\\");
    std::string href(folder);
    common::append_encoded(href, file, not_in_path); // the URL parser encodes the rest
    return href;
}

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
                                const UrlMappings& mappings, const KnownUrls& urls) {
    const std::vector<const KnownUrl*> all = urls.all();
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < remaps.size(); ++i) {
        const std::string_view from = remaps[i].from.href();
        const auto is_below = [from](const KnownUrl* const known) {
            return known->url.href().starts_with(from); // a state file had its answer
        };
        if (mappings.all()[i].used == 0 && !remaps[i].option.empty()
            && std::ranges::none_of(all, is_below))
            lines.push_back(
                fmt::format("--remap {}: nothing that was asked for is below {}",
                            remaps[i].option, from));
    }
    return lines;
}

namespace {

/// The URLs at which the folder's server has this page: the file, and what is nicer.
std::vector<common::Url> urls_of_page(const Remap& remap, const std::string& name) {
    constexpr std::string_view extension = ".html";
    std::vector<std::string> names{name};
    if (name == "index.html" || name.ends_with("/index.html"))
        names.push_back(name.substr(0, name.rfind("index.html")));
    else if (name.ends_with(extension))
        names.push_back(name.substr(0, name.size() - extension.size()));
    std::vector<common::Url> urls;
    for (const std::string& one : names)
        if (auto url = common::parse_url(href_of_file(remap.from.href(), one)))
            urls.push_back(*std::move(url));
    return urls;
}

} // namespace

Unreached find_unreached(const Remap& remap, const KnownUrls& urls, const Scope& scope) {
    Unreached result;
    std::error_code error;
    const fs::recursive_directory_iterator end;
    for (fs::recursive_directory_iterator file(
             remap.folder, fs::directory_options::skip_permission_denied, error);
         !error && file != end; file.increment(error)) {
        const std::string name = file->path().lexically_relative(remap.folder).string();
        std::error_code no_file;
        if (type_of_file(file->path()) != "text/html" || name == "404.html"
            || !file->is_regular_file(no_file))
            continue;
        const std::vector<common::Url> places = urls_of_page(remap, name);
        if (places.empty() || !scope.contains(places.front()))
            continue;
        ++result.all;
        if (std::ranges::any_of(places, [&](const common::Url& url) {
                return urls.find(url) != nullptr;
            }))
            continue;
        const std::string_view called = name_of(places.front());
        if (++result.pages == 1 || called < result.example)
            result.example = called;
    }
    return result;
}

std::string describe(const Unreached& unreached, const Remap& remap) {
    if (unreached.pages == 0)
        return {};
    std::string text =
        fmt::format("{} of {} in '{}' {} not reached, such as {}: no link leads there",
                    unreached.pages, common::counted(unreached.all, "page"), remap.folder,
                    unreached.pages == 1 ? "was" : "were", unreached.example);
    if (remap.option.empty() && 2 * unreached.pages >= unreached.all)
        text += fmt::format(" (if links have the site's address, say so: --remap "
                            "https://ADDRESS={})",
                            remap.folder);
    return text;
}

} // namespace stage3
