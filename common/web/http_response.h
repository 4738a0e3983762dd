// An HTTP response, taken apart.
//
// Stages 1 and 2 speak HTTP/1.0 over a bare socket: send a request, collect bytes until
// the server closes, and then cut what came into status, headers and body. This file does
// the cutting. It trusts nothing: a server may send anything, and what is wrong with it
// ends up in words in `error`. Told in book/01 (a thread per page).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// A response as it came. `error` is empty if it is whole; if not, it says why in words,
/// and the other members hold what could be read before that.
struct HttpResponse {
    int status = 0; ///< 100 to 599; 0 if there was no status line
    std::vector<std::pair<std::string, std::string>> headers; ///< name, value; in order
    std::string body;                                         ///< without chunk framing
    std::string error;

    /// The first header of that name, whatever its case; empty if there is none.
    std::string_view header(std::string_view name) const;
};

/// Takes apart a whole HTTP/1.x response: all that came up to the server's close.
/// Source: RFC 9112.
HttpResponse split_http_response(std::string_view bytes);

/// Notices when a response is whole while it still comes in: a server that keeps the
/// connection open, though asked not to, need not be waited for; nor one whose response
/// can't become right any more.
class ResponseEnd {
  public:
    /// `bytes` is all that has come so far: at each call, what it was at the last one,
    /// and more. True if the response is whole, or broken already: then
    /// split_http_response will say how. False if only the server's close can tell.
    bool reached(std::string_view bytes);

  private:
    enum class State : std::uint8_t { head, body, chunks, up_to_close };

    bool read_head(std::string_view bytes);
    bool begin_body(const HttpResponse& response, std::size_t most);
    bool read_chunks(std::string_view bytes);

    State state_ = State::head;
    std::size_t begin_ = 0;   // of the head or chunk that is being read
    std::size_t scanned_ = 0; // no head ends before this
    std::size_t size_ = 0;    // of the whole response, once its headers tell
};

/// How long the response will be that begins with `bytes`, headers included, as far as
/// its Content-Length tells: a server that keeps the connection open, though asked not
/// to, need not be waited for. Nothing while the headers are not complete, or if they
/// don't tell.
std::optional<std::size_t> http_response_length(std::string_view bytes);

/// True for the statuses that say: here is what you have asked for. 200 to 299.
/// Source: RFC 9110, section 15.3.
bool is_success(int status);

/// True for the five statuses that send a client elsewhere: 301, 302, 303, 307, 308.
bool is_redirect(int status);

/// A GET request in HTTP/1.0 that asks for the connection to be closed after the
/// response. `authority` is host and port for the Host header, `target` the path and
/// query.
std::string http_get_request(std::string_view authority, std::string_view target);

} // namespace common
