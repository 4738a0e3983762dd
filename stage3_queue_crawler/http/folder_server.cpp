#include "stage3_queue_crawler/http/folder_server.h"

#include "common/system/socket.h"
#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace stage3 {
namespace {

using Kind = SiteFile::Kind;

/// What a request says, as far as it matters here.
struct Asked {
    bool is_head = false;
    bool stays = true; ///< the connection
    std::string_view target = {};
    std::string_view host = {};
    std::string_view known = {}; ///< If-None-Match
};

/// Nothing if it's no GET or HEAD, or has a body.
/// Source: RFC 9112, sections 3 and 9.3
std::optional<Asked> read_head(std::string_view head) {
    const auto next_line = [&head] {
        const std::string_view line = head.substr(0, head.find("\r\n"));
        head.remove_prefix(std::min(line.size() + 2, head.size()));
        return line;
    };
    const std::string_view first = next_line();
    const auto space = first.find(' ');
    const auto end = first.rfind(' ');
    if (space == std::string_view::npos || end <= space + 1)
        return std::nullopt;
    const std::string_view method = first.substr(0, space);
    if (method != "GET" && method != "HEAD")
        return std::nullopt;
    Asked asked{.is_head = method == "HEAD",
                .stays = first.ends_with("HTTP/1.1"),
                .target = first.substr(space + 1, end - space - 1)};
    while (!head.empty()) {
        const std::string_view line = next_line();
        const auto colon = std::min(line.find(':'), line.size());
        const std::string_view name = line.substr(0, colon);
        const std::string_view value =
            common::trim(line.substr(std::min(colon + 1, line.size())));
        if (common::equal_ignoring_case(name, "Host"))
            asked.host = value;
        else if (common::equal_ignoring_case(name, "If-None-Match"))
            asked.known = value;
        else if (common::equal_ignoring_case(name, "Connection"))
            asked.stays = asked.stays && !common::equal_ignoring_case(value, "close");
        else if (common::equal_ignoring_case(name, "Content-Length")
                 || common::equal_ignoring_case(name, "Transfer-Encoding"))
            return std::nullopt;
    }
    return asked;
}

std::string head_of(std::string_view status, std::uintmax_t length,
                    std::string_view more = {}) {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n", status, length,
                       more);
}

/// A header can't have control characters in its value.
std::string in_header(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
    return text;
}

/// The file's bytes, as many as were promised. A file on a disk is always ready, so this
/// holds up the loop only for as long as it takes to copy a piece of it.
Coroutine<bool> send_file(Stream& stream, const SiteFile& file) {
    std::string buffer(std::min<std::uintmax_t>(file.size, 65536), '\0');
    for (std::uintmax_t left = file.size; left > 0;) {
        const ssize_t size = ::read(file.descriptor.fd(), buffer.data(),
                                    std::min<std::uintmax_t>(left, buffer.size()));
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0) // it's shorter now, so the connection must break
            co_return false;
        left -= static_cast<std::uintmax_t>(size);
        stream.write({buffer.data(), static_cast<std::size_t>(size)});
        co_await stream.drain();
    }
    co_return true;
}

common::Url url_of(const Listener& listener) {
    const std::string text = fmt::format("http://127.0.0.1:{}/", listener.port());
    if (auto url = common::parse_url(text))
        return *std::move(url);
    throw std::logic_error(text + " is a URL");
}

} // namespace

FolderServer::FolderServer(const std::filesystem::path& folder)
    : folder_(folder), listener_(common::resolve("127.0.0.1", 0).front()),
      url_(url_of(listener_)) {}

Coroutine<> FolderServer::serve() {
    return stage3::serve(std::move(listener_),
                         std::bind_front(&FolderServer::talk, this));
}

Coroutine<> FolderServer::talk(Stream& stream) const {
    try {
        for (bool stays = true; stays;) {
            const std::string head = co_await stream.read_until("\r\n\r\n");
            stays = co_await answer(stream, head);
            co_await stream.flush();
        }
    } catch (const EndOfStream&) {   // NOLINT(bugprone-empty-catch): the client has gone
    } catch (const LimitExceeded&) { // NOLINT(bugprone-empty-catch): no client of ours
    } catch (const std::system_error&) { // NOLINT(bugprone-empty-catch): it has gone
    }
}

/// False if the connection can't be used any more.
Coroutine<bool> FolderServer::answer(Stream& stream, std::string_view head) const {
    const std::optional<Asked> asked = read_head(head);
    if (!asked || asked->host != url_.authority()) {
        stream.write(head_of(asked ? "421 Misdirected Request" : "400 Bad Request", 0,
                             "Connection: close\r\n"));
        co_return false;
    }
    const SiteFile file = folder_.find(asked->target);
    switch (file.kind) {
    case Kind::folder: {
        // With two slashes at its beginning, it would name a host.
        const std::string_view target = asked->target.substr(
            std::min(asked->target.find_first_not_of('/'), asked->target.size()));
        const auto path_end = std::min(target.find('?'), target.size());
        stream.write(
            head_of("301 Moved Permanently", 0,
                    fmt::format("Location: /{}/{}\r\n", target.substr(0, path_end),
                                target.substr(path_end))));
        co_return asked->stays;
    }
    case Kind::busy:
        stream.write(head_of("503 Service Unavailable", 0));
        co_return asked->stays;
    case Kind::refused:
        stream.write(head_of("403 Forbidden", 0,
                             fmt::format("{}: {}\r\n", reason, in_header(file.why))));
        co_return asked->stays;
    case Kind::file:
    case Kind::missing: break;
    }
    const bool is_there = file.kind == Kind::file;
    const std::string version = fmt::format("\"{}\"", file.version);
    if (is_there && asked->known == version) {
        stream.write(
            fmt::format("HTTP/1.1 304 Not Modified\r\nETag: {}\r\n\r\n", version));
        co_return asked->stays;
    }
    std::string more =
        file.descriptor ? fmt::format("Content-Type: {}\r\n", file.type) : std::string();
    if (is_there)
        more += fmt::format("ETag: {}\r\n", version);
    stream.write(head_of(is_there ? "200 OK" : "404 Not Found", file.size, more));
    if (asked->is_head || !file.descriptor)
        co_return asked->stays;
    const bool is_whole = co_await send_file(stream, file);
    co_return is_whole && asked->stays;
}

} // namespace stage3
