#include "tests/practice_site/http.h"

#include "common/text/ascii.h"

#include <fmt/core.h>

#include <algorithm>

namespace practice_site {
namespace {

std::string_view reason(int status) {
    switch (status) {
    case 200: return "OK";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    default: return "Unknown";
    }
}

/// Cuts `text` at the first `separator`: returns what is before it, leaves the rest.
std::string_view cut(std::string_view& text, std::string_view separator) {
    const auto end = text.find(separator);
    const std::string_view front = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size()
                                                     : end + separator.size());
    return front;
}

/// What may surround a header's value and is left out; the end of a line may not.
constexpr std::string_view blanks = " \t";

/// What methods and the names of headers are made of.
bool is_token_character(char c) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return common::is_alpha(c) || common::is_digit(c)
           || marks.find(c) != std::string_view::npos;
}
bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_token_character);
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }
bool is_control(char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7f'; }

/// Host and port are not examined more closely, because there is one site here, whatever
/// its name.
bool may_be_host(std::string_view text) {
    return text.find_first_of(" \t/?#@") == std::string_view::npos;
}

/// True if the comma-separated list has the word in it, whatever its case.
bool lists(std::string_view list, std::string_view word) {
    while (!list.empty())
        if (common::equal_ignoring_case(common::trim(cut(list, ","), blanks), word))
            return true;
    return false;
}

/// Reads the request line. Returns false if it is malformed.
bool read_request_line(std::string_view line, ReceivedRequest& request, bool& is_1_1) {
    const std::string_view method = cut(line, " ");
    std::string_view target = cut(line, " ");
    is_1_1 = line != "HTTP/1.0";
    if (!is_token(method) || !std::ranges::all_of(target, is_visible) || line.size() != 8
        || !line.starts_with("HTTP/1.") || !common::is_digit(line.back()))
        return false;
    constexpr std::string_view scheme = "http://";
    if (common::equal_ignoring_case(target.substr(0, scheme.size()), scheme)) {
        // As sent to a proxy; servers must accept it as well (RFC 9112, section 3.2.2).
        target.remove_prefix(scheme.size());
        const auto host_end = std::min(target.find_first_of("/?#"), target.size());
        if (host_end == 0)
            return false;
        target.remove_prefix(host_end);
        request.target = target.starts_with('/') ? "" : "/";
    }
    request.target += target;
    request.head_only = method == "HEAD";
    if (method != "GET" && method != "HEAD")
        request.failure = 405;
    const bool asks_for_all = method == "OPTIONS" && target == "*";
    return (request.target.starts_with('/') || asks_for_all)
           && target.find('#') == std::string_view::npos;
}

} // namespace

ReceivedRequest refused(int status) {
    ReceivedRequest request;
    request.failure = status;
    // Where this request ends is not known, so no other can be found after it.
    request.keep_alive = false;
    return request;
}

bool may_begin_request(char first) {
    return is_token_character(first) || first == '\r'; // of an empty line
}

std::optional<ReceivedRequest> parse_request(std::string_view head) {
    // Empty lines before a request are to be forgiven (RFC 9112, section 2.2).
    while (head.starts_with("\r\n"))
        head.remove_prefix(2);
    if (head.empty())
        return std::nullopt;
    head.remove_suffix(4); // its last line's end, and the empty line
    ReceivedRequest request;
    bool is_1_1 = false;
    if (!read_request_line(cut(head, "\r\n"), request, is_1_1))
        return refused(400);
    int hosts = 0;
    bool close = false;
    bool body = false;  // it isn't interpreted, so no request is found after it
    bool keep = is_1_1; // 1.1 does so by default, 1.0 must be asked to
    while (!head.empty()) {
        std::string_view value = cut(head, "\r\n");
        const bool has_colon = value.find(':') != std::string_view::npos;
        const std::string_view name = cut(value, ":");
        value = common::trim(value, blanks);
        if (!has_colon || !is_token(name) || std::ranges::any_of(value, is_control))
            return refused(400);
        if (common::equal_ignoring_case(name, "Host")) {
            if (++hosts > 1 || !may_be_host(value))
                return refused(400);
        } else if (common::equal_ignoring_case(name, "Connection")) {
            close = close || lists(value, "close");
            keep = keep || lists(value, "keep-alive");
        } else if (common::equal_ignoring_case(name, "Content-Length")) {
            if (value.empty() || !std::ranges::all_of(value, common::is_digit))
                return refused(400);
            body = body || value != "0";
        } else if (common::equal_ignoring_case(name, "Transfer-Encoding")) {
            body = true;
        }
    }
    if (is_1_1 && hosts == 0) // RFC 9112, section 3.2
        return refused(400);
    request.keep_alive = keep && !close && !body;
    return request;
}

Answer plain_answer(int status) {
    return {status,
            "text/html; charset=utf-8",
            fmt::format("<!doctype html>\n<title>{0} {1}</title>\n"
                        "<h1>{0} {1}</h1>\n<p><a href=\"/\">To the first page</a></p>\n",
                        status, reason(status)),
            {}};
}

std::string to_bytes(const Answer& answer, const ReceivedRequest& request) {
    std::string bytes = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", answer.status,
        reason(answer.status), answer.type, answer.body.size());
    if (!answer.location.empty())
        bytes += "Location: " + answer.location + "\r\n";
    if (answer.status == 405)
        bytes += "Allow: GET, HEAD\r\n";
    bytes += request.keep_alive ? "Connection: keep-alive\r\n\r\n"
                                : "Connection: close\r\n\r\n";
    if (!request.head_only)
        bytes += answer.body;
    return bytes;
}

std::string escape_html(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '"': escaped += "&quot;"; break;
        default: escaped += c;
        }
    }
    return escaped;
}

} // namespace practice_site
