#include "common/web/http_response.h"

#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace common {
namespace {

constexpr std::size_t max_header_bytes = 64 * 1024;

/// Cuts the first line off `text`. Lines end with LF, with or without a CR before it.
std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

/// Where the empty line after the headers ends: the size of everything before the body.
std::optional<std::size_t> header_size(std::string_view bytes) {
    std::string_view rest = bytes.substr(0, max_header_bytes);
    while (rest.find('\n') != std::string_view::npos)
        if (take_line(rest).empty())
            return std::min(bytes.size(), max_header_bytes) - rest.size();
    return std::nullopt;
}

/// A number without a sign or blanks; nothing if the text is anything else.
std::optional<std::size_t> number(std::string_view text, int base = 10) {
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// "HTTP/1.1 200 OK" → 200; 0 if it is no status line.
int read_status(std::string_view line) {
    if (!line.starts_with("HTTP/1."))
        return 0;
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos)
        return 0;
    const std::string_view code = trim(line.substr(blank)).substr(0, 4);
    const auto status = number(trim(code));
    return status && code.size() >= 3 && *status >= 100 && *status <= 599
               ? static_cast<int>(*status)
               : 0;
}

/// Reads "Name: value" lines up to the empty one. Returns what is wrong, in words.
std::string read_headers(std::string_view& bytes, HttpResponse& response) {
    response.headers.clear();
    for (;;) {
        const std::string_view line = take_line(bytes);
        if (line.empty())
            return {};
        if ((line[0] == ' ' || line[0] == '\t') && !response.headers.empty()) {
            // An old way to break a long header into several lines.
            response.headers.back().second += " " + std::string(trim(line));
            continue;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || line.find('\0') != std::string_view::npos)
            return "malformed header";
        response.headers.emplace_back(trim(line.substr(0, colon)),
                                      trim(line.substr(colon + 1)));
    }
}

/// Cuts off the line before a chunk, which holds the chunk's size. False if that line
/// isn't complete yet. `size` stays empty if the line holds no size and never will.
bool take_chunk_size(std::string_view& framed, std::optional<std::size_t>& size) {
    size = std::nullopt;
    const auto end = std::min(framed.find('\n'), framed.size());
    if (end > max_header_bytes)
        return true;
    if (end == framed.size())
        return false;
    const std::string_view line = take_line(framed);
    size = number(trim(line.substr(0, line.find(';'))), 16);
    if (size && *size > framed.max_size() / 2) // so that a sum with it can't overflow
        size = std::nullopt;
    return true;
}

/// Undoes chunked framing: each chunk is its size in hexadecimal, that many bytes and a
/// line end, and the last one's size is 0.
std::string read_chunks(std::string_view framed, std::string& body) {
    for (;;) {
        std::optional<std::size_t> size;
        if (!take_chunk_size(framed, size))
            return "truncated: the connection closed within a chunk";
        if (!size)
            return "malformed chunk";
        if (*size == 0)
            return {}; // trailers may follow, which we don't need
        if (*size > framed.size())
            return "truncated: the connection closed within a chunk";
        body += framed.substr(0, *size);
        framed.remove_prefix(*size);
        if (!take_line(framed).empty())
            return "malformed chunk";
    }
}

/// True if the body comes in chunks. "identity" is an old name for no encoding.
bool is_chunked(const HttpResponse& response) {
    return std::ranges::any_of(response.headers, [](const auto& header) {
        return equal_ignoring_case(header.first, "Transfer-Encoding")
               && equal_ignoring_case(header.second, "chunked");
    });
}

/// True if there is a transfer encoding that we can't undo.
bool is_encoded_otherwise(const HttpResponse& response) {
    return std::ranges::any_of(response.headers, [](const auto& header) {
        return equal_ignoring_case(header.first, "Transfer-Encoding")
               && !equal_ignoring_case(header.second, "chunked")
               && !equal_ignoring_case(header.second, "identity");
    });
}

/// The Content-Length; nothing if there is none. If it is nonsense, `error` says so.
std::optional<std::size_t> content_length(const HttpResponse& response,
                                          std::string& error) {
    std::optional<std::size_t> result;
    for (const auto& [name, value] : response.headers) {
        if (!equal_ignoring_case(name, "Content-Length"))
            continue;
        // Some servers and proxies send it twice, or as "5, 5", which is allowed if the
        // values agree (RFC 9112, section 6.3).
        for (std::string_view rest = value;;) {
            const auto comma = std::min(rest.find(','), rest.size());
            const auto length = number(trim(rest.substr(0, comma)));
            if (!length || (result && *result != *length)) {
                error = "malformed Content-Length";
                return std::nullopt;
            }
            result = length;
            if (comma == rest.size())
                break;
            rest.remove_prefix(comma + 1);
        }
    }
    return result;
}

/// Cuts the body to the length that the headers give. Returns what is wrong, in words.
std::string read_body(std::string_view bytes, HttpResponse& response) {
    if (response.status == 204 || response.status == 304)
        return {}; // these have no body, whatever follows
    // Chunks take precedence over a length (RFC 9112, section 6.3): a server that sends
    // both is confused or malicious, and only the chunks show where the body ends.
    if (is_encoded_otherwise(response))
        return "unknown Transfer-Encoding";
    if (is_chunked(response))
        return read_chunks(bytes, response.body);
    std::string error;
    const auto length = content_length(response, error);
    if (!error.empty())
        return error;
    response.body = bytes.substr(0, length.value_or(bytes.size()));
    if (length && response.body.size() < *length)
        return fmt::format("truncated: {} of {} bytes came", response.body.size(),
                           *length);
    return {};
}

/// Reads the status line and the headers, and skips interim (1xx) responses.
std::string read_head(std::string_view& bytes, HttpResponse& response) {
    for (;;) {
        if (!header_size(bytes))
            return bytes.size() > max_header_bytes
                       ? "headers larger than 64 KiB"
                       : "truncated: the connection closed within the headers";
        response.status = read_status(take_line(bytes));
        if (response.status == 0)
            return "not an HTTP response";
        if (auto error = read_headers(bytes, response); !error.empty())
            return error;
        if (response.status >= 200)
            return {};
    }
}

} // namespace

std::string_view HttpResponse::header(std::string_view name) const {
    for (const auto& [key, value] : headers)
        if (equal_ignoring_case(key, name))
            return value;
    return {};
}

HttpResponse split_http_response(std::string_view bytes) {
    HttpResponse response;
    std::string_view rest = bytes;
    if (bytes.empty())
        response.error = "empty response";
    else if (!rest.starts_with("HTTP/"))
        response.error = "not an HTTP response";
    else
        response.error = read_head(rest, response);
    if (response.error.empty())
        response.error = read_body(rest, response);
    return response;
}

bool ResponseEnd::reached(std::string_view bytes) {
    constexpr std::string_view begin = "HTTP/";
    if (!begin.starts_with(bytes.substr(0, begin.size())))
        return true;
    if (state_ == State::head && read_head(bytes))
        return true;
    if (state_ == State::chunks)
        return read_chunks(bytes);
    return state_ == State::body && bytes.size() >= size_;
}

/// True if the headers are broken. If they aren't, `state_` says whether they ended.
bool ResponseEnd::read_head(std::string_view bytes) {
    while (true) {
        // Only the new bytes can hold the empty line, or its end.
        const auto line = bytes.find('\n', scanned_);
        if (line == std::string_view::npos)
            return bytes.size() - begin_ > max_header_bytes;
        const std::string_view next = bytes.substr(line + 1, 2);
        if (next.empty() || next == "\r") {
            scanned_ = line;
            return bytes.size() - begin_ > max_header_bytes;
        }
        scanned_ = line + 1;
        if (next[0] != '\n' && next != "\r\n")
            continue;
        const std::size_t end = line + (next[0] == '\n' ? 2 : 3);
        if (end - begin_ > max_header_bytes)
            return true;
        std::string_view head = bytes.substr(begin_, end - begin_);
        HttpResponse response;
        response.status = read_status(take_line(head));
        if (response.status == 0 || !read_headers(head, response).empty())
            return true;
        begin_ = scanned_ = end;
        if (response.status < 200)
            continue; // an interim response is only the beginning
        size_ = end;
        return begin_body(response, bytes.max_size());
    }
}

/// True if the complete headers announce a body that can't be read. In the same order as
/// read_body.
bool ResponseEnd::begin_body(const HttpResponse& response, std::size_t most) {
    state_ = State::body;
    if (response.status == 204 || response.status == 304)
        return false;
    if (is_encoded_otherwise(response))
        return true;
    if (is_chunked(response)) {
        state_ = State::chunks;
        return false;
    }
    std::string error;
    const auto length = content_length(response, error);
    if (length)
        size_ += std::min(*length, most - size_);
    else
        state_ = State::up_to_close;
    return !error.empty();
}

/// True after the last chunk and its trailers, or if a chunk is malformed.
bool ResponseEnd::read_chunks(std::string_view bytes) {
    while (true) {
        std::string_view rest = bytes.substr(std::min(begin_, bytes.size()));
        std::optional<std::size_t> size;
        if (!take_chunk_size(rest, size))
            return false;
        if (!size)
            return true;
        if (*size == 0) { // an empty line, perhaps after trailers, which may never end
            while (rest.find('\n') != std::string_view::npos)
                if (take_line(rest).empty())
                    return true;
            return bytes.size() - begin_ > max_header_bytes;
        }
        const std::size_t data = bytes.size() - rest.size();
        // The chunk, and at least the line feed after it.
        if (rest.size() < *size + 2)
            return false;
        rest.remove_prefix(*size);
        if (!take_line(rest).empty())
            return true;
        begin_ = std::max(bytes.size() - rest.size(), data + *size + 1);
    }
}

bool is_success(int status) { return status >= 200 && status < 300; }

bool is_redirect(int status) {
    constexpr std::array<int, 5> redirects{301, 302, 303, 307, 308};
    return std::ranges::find(redirects, status) != redirects.end();
}

// [get-request]
std::string http_get_request(std::string_view authority, std::string_view target) {
    return fmt::format("GET {} HTTP/1.0\r\n"
                       "Host: {}\r\n"
                       "User-Agent: await-the-web\r\n"
                       "Accept: text/html, */*;q=0.1\r\n"
                       "Connection: close\r\n"
                       "\r\n",
                       target, authority);
}
// [/get-request]

} // namespace common
