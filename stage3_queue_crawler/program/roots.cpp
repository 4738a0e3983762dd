#include "stage3_queue_crawler/program/roots.h"

#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <istream>
#include <string_view>
#include <system_error>

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

/// The path that the user seems to mean; empty if it's a URL. A name with a dot is rather
/// a host than a folder, because wget names its folders after hosts.
std::string local_path(const std::string& text) {
    constexpr std::string_view file_scheme = "file:";
    if (common::lower(text).starts_with(file_scheme)) {
        const std::string path = text.substr(file_scheme.size());
        return path.starts_with("//")
                   ? path.substr(std::min(path.find('/', 2), path.size()))
                   : path;
    }
    for (const char* const start : {"/", "./", "../", "~"})
        if (text.starts_with(start))
            return text;
    if (text == "." || text == "..")
        return text;
    const std::string first = text.substr(0, text.find('/'));
    const bool may_be_host = first.find('.') != std::string::npos || first == "localhost";
    std::error_code none; // if set, there is no such file
    if (fs::is_regular_file(text, none) && (!may_be_host || first == text))
        return text;
    return fs::is_directory(text, none) && !may_be_host ? text : "";
}

void refuse_local_path(const std::string& text) {
    const fs::path path = local_path(text);
    if (path.empty())
        return;
    std::error_code none;
    const bool is_file = fs::is_regular_file(path, none);
    const fs::path folder = !is_file                 ? path
                            : path.has_parent_path() ? path.parent_path()
                                                     : fs::path(".");
    throw UsageError(fmt::format(
        "'{}' is a path on this machine, and only servers can be crawled: start one with "
        "python3 -m http.server --directory {} 8000, then crawl localhost:8000{}",
        text, shell_word(folder.string()),
        is_file ? '/' + path.filename().string() : ""));
}

common::Url read_root(const std::string& text) {
    refuse_local_path(text);
    if (auto root = common::parse_root_url(text))
        return *root;
    // CLI11 takes the brackets off "[::1]"; and users may leave them out.
    const bool may_be_ipv6 =
        text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos;
    if (auto root = common::parse_root_url("[" + text + "]"); root && may_be_ipv6)
        return *root;
    const auto login_end = text.rfind('@'); // passwords don't belong in logs
    std::string shown =
        login_end == std::string::npos ? text : "..." + text.substr(login_end);
    if (constexpr std::size_t most = 100; shown.size() > most) // a binary file?
        shown = shown.substr(0, most) + "...";
    throw UsageError(fmt::format(
        "'{}' is not a URL to crawl: give one like https://example.org/", shown));
}

void add_lines(std::istream& lines, const std::string& name, Options& options) {
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (constexpr std::string_view mark = "\xef\xbb\xbf"; // Windows' Notepad puts it
            number == 1 && line.starts_with(mark))
            line.erase(0, mark.size());
        const std::string url(common::trim(line)); // also of a CRLF's CR
        if (url.empty() || url.starts_with('#'))
            continue;
        try {
            add_root(url, options);
        } catch (const UsageError& error) {
            throw UsageError(
                fmt::format("--urls-from: {}, line {}: {}", name, number, error.what()));
        }
    }
    if (lines.bad())
        throw UsageError(fmt::format("--urls-from: can't read {}", name));
}

} // namespace

void add_root(const std::string& text, Options& options) {
    const common::Url& url = options.roots.emplace_back(read_root(text));
    if (auto login = common::login_in(text))
        options.crawl.logins.insert_or_assign(std::string(url.origin()),
                                              *std::move(login));
}

void add_roots_from(const std::string& path, Options& options) {
    if (path == "-")
        return add_lines(std::cin, "standard input", options);
    std::ifstream file(path);
    std::error_code none;
    if (!file || fs::is_directory(path, none))
        throw UsageError(
            fmt::format("--urls-from: can't read '{}': {}", path,
                        std::generic_category().message(file ? EISDIR : errno)));
    add_lines(file, path, options);
}

} // namespace stage3
