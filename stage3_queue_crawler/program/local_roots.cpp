#include "stage3_queue_crawler/program/local_roots.h"

#include "common/command_line/usage_error.h"
#include "common/text/ascii.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/http/site_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace stage3 {
namespace {

namespace fs = std::filesystem;
using common::UsageError;

/// As a word for a shell.
std::string shell_word(const std::string& text) {
    const bool is_plain = std::ranges::all_of(text, [](char c) {
        return common::is_alpha(c) || common::is_digit(c)
               || std::string_view("/._-+,").find(c) != std::string_view::npos;
    });
    if (is_plain)
        return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? "'\\''" : std::string(1, c);
    return word + '\'';
}

/// Does this name look like a page's, rather than a host's?
bool has_extension_of_page(const std::string& name) {
    constexpr std::array<std::string_view, 8> extensions{
        ".html", ".htm", ".xhtml", ".xml", ".txt", ".md", ".pdf", ".svg"};
    return std::ranges::find(extensions,
                             common::lower(fs::path(name).extension().string()))
           != extensions.end();
}

/// True if a file or folder has this name, and a host hardly would. wget names its
/// folders after hosts.
bool is_local(const std::string& text) {
    const std::string first = text.substr(0, text.find('/'));
    const bool may_be_host = first.find('.') != std::string::npos || first == "localhost";
    std::error_code none; // if set, there is no such file
    if (fs::is_regular_file(text, none))
        return !may_be_host || (first == text && has_extension_of_page(text));
    return fs::is_directory(text, none) && !may_be_host;
}

/// A page of this folder, to begin with: for advice.
std::string any_page_in(const fs::path& folder) {
    std::error_code error;
    std::string first;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (const std::string name = entry->path().filename().string();
            type_of_file(name) == "text/html" && (first.empty() || name < first))
            first = name;
    return first.empty() ? "page.html" : first;
}

/// Instead of a folder or a file.
std::string what_is_there(const fs::file_status& status, const std::error_code& error) {
    if (status.type() == fs::file_type::not_found)
        return "there is nothing there";
    return error ? error.message() : "not that of a folder or file";
}

bool may_be_in_label(char c) { return common::is_digit(c) || (c >= 'a' && c <= 'z'); }

/// The last part of a folder's path, with nothing that a host can't have in its name.
std::string label_of(const fs::path& folder) {
    std::string label = common::lower(folder.filename().string());
    std::ranges::replace_if(label, std::not_fn(may_be_in_label), '-');
    if (label.find_first_not_of('-') == std::string::npos)
        return "folder";
    const bool is_usable =
        common::parse_url(fmt::format("{}.{}/", folder_origin, label)).has_value();
    return is_usable ? label : "folder-" + label; // as with 2024, an address
}

} // namespace

std::string written_path(const std::string& text) {
    constexpr std::string_view file_scheme = "file:";
    if (common::lower(text).starts_with(file_scheme)) {
        const std::string path = text.substr(file_scheme.size());
        return path.starts_with("//")
                   ? path.substr(std::min(path.find('/', 2), path.size()))
                   : path;
    }
    const bool is_path = text == "." || text == ".."
                         || std::ranges::any_of(std::array{"/", "./", "../", "~"},
                                                [&](const char* const start) {
                                                    return text.starts_with(start);
                                                });
    return is_path ? text : "";
}

std::optional<LocalRoot> local_root(const std::string& text) {
    const std::string written = written_path(text);
    if (written.empty() && !is_local(text))
        return std::nullopt;
    fs::path path = written.empty() ? text : written;
    std::error_code error;
    const auto hash = path.string().find('#');
    const bool has_fragment = hash != std::string::npos && !fs::exists(path, error);
    if (has_fragment)
        path = path.string().substr(0, hash);
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::regular)
        return LocalRoot{.folder = path.has_parent_path() ? path.parent_path() : ".",
                         .page = path.filename().string(),
                         .has_fragment = has_fragment};
    if (status.type() != fs::file_type::directory)
        throw UsageError(
            fmt::format("'{}' is a path, but {}", text, what_is_there(status, error)));
    const auto has = [&](const char* const index) {
        return fs::exists(path / index, error) || error;
    };
    if (!has("index.html") && !has("index.htm"))
        throw UsageError(
            fmt::format("the folder '{}' has no index.html: give the page to begin with, "
                        "such as {}",
                        text, shell_word((path / any_page_in(path)).string())));
    return LocalRoot{.folder = path, .page = {}, .has_fragment = has_fragment};
}

/// The name of a folder counts once, however it's written.
void Folders::note(const fs::path& folder) {
    const fs::path real = fs::weakly_canonical(folder);
    if (std::ranges::find(all_, real, &Folder::real) == all_.end())
        all_.push_back({.real = real, .given = folder});
}

void Folders::name() {
    std::set<std::string> labels;
    for (Folder& folder : all_) {
        folder.origin = folder_origin;
        if (all_.size() == 1)
            return;
        const std::string label = label_of(folder.real);
        std::string different = label;
        for (int number = 2; !labels.insert(different).second; ++number)
            different = fmt::format("{}-{}", label, number);
        folder.origin += '.' + different;
    }
}

std::vector<Remap> Folders::remaps() const {
    std::vector<Remap> remaps;
    for (const Folder& folder : all_) {
        auto url = common::parse_url(folder.origin + '/');
        if (!url)
            throw UsageError(fmt::format("the folder '{}' has a name that can't be used",
                                         folder.given.string()));
        remaps.push_back({.option = {},
                          .from = *std::move(url),
                          .to = {},
                          .folder = folder.given.string()});
    }
    return remaps;
}

common::Url Folders::url_of(const LocalRoot& root) const {
    const auto folder =
        std::ranges::find(all_, fs::weakly_canonical(root.folder), &Folder::real);
    if (auto url = common::parse_url(href_of_file(folder->origin + '/', root.page)))
        return *std::move(url);
    throw UsageError(fmt::format("'{}' is too long a name", root.page));
}

} // namespace stage3
