// HTTP as the practice site speaks it: what a handler is asked and what it answers, and
// how the two look on the wire.
//
// Text in, text out, no sockets: server.h moves the bytes. It is the server's half of
// HTTP/1.0 and 1.1, GET and HEAD only, and it is strict, because a client of ours that
// sends nonsense should be told so. Source: RFC 9110 and RFC 9112.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace practice_site {

/// What a handler is asked. The texts live as long as the call.
struct Request {
    std::string_view target; ///< path and query as sent: "/p/3", "/a%20b?c"
    std::string_view origin; ///< what to put before a path to get a URL of this server:
                             ///< "http://127.0.0.1:8080"
};

/// What a handler answers. To a HEAD request the server sends all but the body.
struct Answer {
    int status = 200;
    std::string type = "text/html; charset=utf-8";
    std::string body{};
    std::string location{}; ///< where a redirect leads; else empty
};

using Handler = std::function<Answer(const Request&)>;

/// A small page that names the status; the answer when there is nothing better.
Answer plain_answer(int status);

/// The most bytes that a request may take up to the empty line after its headers, which
/// isn't counted.
constexpr std::size_t max_request_bytes = 64 * 1024;

/// A parsed request: small enough to keep for ten thousand connections that wait.
struct ReceivedRequest {
    std::string target;
    int failure = 0; ///< the status to answer at once, without a handler: 400, 405, 431
    bool head_only = false;
    bool keep_alive = false; ///< another request may follow
};

/// False if no request can begin with this byte. TLS begins with such a byte, and since
/// it may never contain an empty line, waiting for one would be in vain.
bool may_begin_request(char first);

/// A request from all its bytes up to and including the empty line after its headers. A
/// request that makes no sense is refused with 400. Returns nothing for empty lines only.
std::optional<ReceivedRequest> parse_request(std::string_view head);

/// A request that is answered with this status and is the last on its connection.
ReceivedRequest refused(int status);

/// The answer's bytes: status line, headers, body.
std::string to_bytes(const Answer& answer, const ReceivedRequest& request);

/// `& < > "` as references, so that any text can stand in HTML.
std::string escape_html(std::string_view text);

} // namespace practice_site
