#include "stage3_queue_crawler/program/roots.h"

#include "common/system/socket.h"
#include "common/text/ascii.h"
#include "common/web/fragments.h"
#include "stage3_queue_crawler/program/formats/escape.h"
#include "stage3_queue_crawler/program/local_roots.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace stage3 {
namespace {

using common::UsageError;

/// For a message: without its password, and not the whole of a binary file.
std::string shown(const std::string& text) {
    constexpr std::size_t longest = 100;
    const auto login_end = text.rfind('@');
    const std::string rest = for_terminal( // an error's text would end at a NUL
        login_end == std::string::npos ? text : "..." + text.substr(login_end));
    return rest.size() > longest ? rest.substr(0, longest) + "..." : rest;
}

common::Url read_root(const std::string& text) {
    if (auto root = common::parse_root_url(text))
        return *root;
    // CLI11 takes the brackets off "[::1]"; and users may leave them out.
    const bool may_be_ipv6 =
        text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos;
    if (auto root = common::parse_root_url("[" + text + "]"); root && may_be_ipv6)
        return *root;
    throw UsageError(fmt::format(
        "'{}' is not a URL to crawl: give one like https://example.org/", shown(text)));
}

/// With `--fragments`, its element must be there.
void note_fragment(const std::string& text, const common::Url& url,
                   common::LinkFragments& fragments) {
    std::string storage;
    const auto fragment = common::fragment_to_find(text, storage);
    if (!fragment)
        return;
    fragments.add(static_cast<std::uint32_t>(fragments.pages.size()),
                  common::Fragment(*fragment));
    fragments.pages.push_back(url);
}

void add(const std::string& text, Options& options) {
    const common::Url& url = options.roots.emplace_back(read_root(text));
    note_fragment(text, url, options.crawl.frontier.of_roots);
    const auto login = common::login_in(text);
    if (!login)
        return;
    const auto [known, is_new] =
        options.crawl.logins.emplace(std::string(url.origin()), *login);
    if (!is_new && known->second != *login)
        throw UsageError(
            fmt::format("two different logins for {}: give one", url.origin()));
}

void add(const LocalRoot& root, const Folders& folders, const std::string& text,
         Options& options) {
    const common::Url& url = options.roots.emplace_back(folders.url_of(root));
    if (root.has_fragment)
        note_fragment(text, url, options.crawl.frontier.of_roots);
}

/// The URL in a line of a list; empty if it has none.
std::string url_in(std::string_view line) {
    for (auto hash = line.find('#'); hash != std::string_view::npos;
         hash = line.find('#', hash + 1))
        if (hash == 0 || line[hash - 1] == ' ' || line[hash - 1] == '\t') {
            line = line.substr(0, hash);
            break;
        }
    std::string url(common::trim(line)); // also of a CRLF's CR
    if (std::ranges::any_of(url, [](char c) {
            return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
        }))
        throw UsageError(
            fmt::format("'{}' has a space or a control character in it: give "
                        "one URL per line",
                        shown(url)));
    return url;
}

void add_lines(std::string_view text, const std::string& name, Options& options) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        throw UsageError(
            fmt::format("--urls-from: {} looks like UTF-16: save it as UTF-8", name));
    if (constexpr std::string_view mark = "\xef\xbb\xbf"; // Windows' Notepad puts it
        text.starts_with(mark))
        text.remove_prefix(mark.size());
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        try {
            const std::string url = url_in(line);
            if (!written_path(url).empty())
                throw UsageError(fmt::format(
                    "'{}' is a path: give folders and files as arguments", shown(url)));
            if (!url.empty())
                add(url, options);
        } catch (const UsageError& error) {
            throw UsageError(
                fmt::format("--urls-from: {}, line {}: {}", name, number, error.what()));
        }
    }
}

/// All of a file. (std::cin doesn't say why it can't be read.) `name` is for the error.
std::string read_all(int fd, const std::string& name) {
    std::string text;
    std::array<char, 65536> buffer{};
    while (true) {
        const ssize_t size =
            fd < 0 ? ssize_t{-1} : ::read(fd, buffer.data(), buffer.size());
        if (size == 0)
            return text;
        if (size > 0)
            text.append(buffer.data(), static_cast<std::size_t>(size));
        else if (errno != EINTR || fd < 0)
            throw UsageError(fmt::format("--urls-from: can't read {}: {}", name,
                                         std::generic_category().message(errno)));
    }
}

} // namespace

void add_roots(const std::vector<std::string>& texts, Options& options) {
    std::vector<std::optional<LocalRoot>> local;
    Folders folders;
    for (const std::string& text : texts)
        if (const auto& root = local.emplace_back(local_root(text)))
            folders.note(root->folder);
    folders.name();
    for (Remap& remap : folders.remaps())
        options.remaps.push_back(std::move(remap));
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (const auto& root = local[i])
            add(*root, folders, texts[i], options);
        else
            add(texts[i], options);
}

void add_roots_from(const std::string& path, Options& options) {
    if (path == "-") {
        const std::string name = "standard input";
        add_lines(read_all(STDIN_FILENO, name), name, options);
        return;
    }
    const common::Socket file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    add_lines(read_all(file.fd(), '\'' + path + '\''), path, options);
}

} // namespace stage3
