// An HTTP response, split into its parts.
//
// Stages 1 and 2 speak HTTP/1.0 over a bare socket: they send a request, collect bytes
// until the server closes, and then split them into status, headers and body. This file
// does the splitting. A server may send anything, so nothing is trusted, and `error` says
// in words what is wrong with a response. Page 01 of the book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// A response as it came. `error` is empty if the response is complete; otherwise it says
/// in words what is wrong, and the other members hold what could be read before that.
struct HttpResponse {
    int status = 0; ///< 100 to 599; 0 if there was no status line
    std::vector<std::pair<std::string, std::string>> headers; ///< name, value; in order
    std::string body;                                         ///< without chunk framing
    std::string error;

    /// The value of the first header with that name, in any case; empty if there is none.
    std::string_view header(std::string_view name) const;
};

/// Splits a complete HTTP/1.x response: all that came until the server closed.
/// Source: RFC 9112.
HttpResponse split_http_response(std::string_view bytes);

/// Notices, while a response is still coming in, that it is complete or can no longer
/// become correct. So we needn't wait for a server that keeps the connection open
/// although it was asked to close it.
class ResponseEnd {
  public:
    /// `bytes` is all that has come so far: what it was in the last call, and then more.
    /// True if the response is complete, or if it is broken, and split_http_response will
    /// then say how. False if more may come, perhaps until the server closes.
    bool reached(std::string_view bytes);

  private:
    enum class State : std::uint8_t { head, body, chunks, up_to_close };

    bool read_head(std::string_view bytes);
    bool begin_body(const HttpResponse& response, std::size_t most);
    bool read_chunks(std::string_view bytes);

    State state_ = State::head;
    std::size_t begin_ = 0;   // of the head or chunk being read
    std::size_t scanned_ = 0; // no head ends before this
    std::size_t size_ = 0;    // of the whole response, once the headers say it
};

/// True for the statuses that mean success, 200 to 299.
/// Source: RFC 9110, section 15.3.
bool is_success(int status);

/// The answer to a condition: what the client has is still right.
/// Source: RFC 9110, section 15.4.5.
constexpr int not_modified = 304;

/// True for the five statuses that send the client elsewhere: 301, 302, 303, 307, 308.
bool is_redirect(int status);

/// A GET request in HTTP/1.0 that asks the server to close the connection after the
/// response. `authority` is the host and port for the Host header, and `target` the path
/// and query.
std::string http_get_request(std::string_view authority, std::string_view target);

} // namespace common
