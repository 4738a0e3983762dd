// The head of a response: status line and headers, and whether they can be believed.
//
// libcurl checks a head too, but each version checks other things: 8.14 accepts a status
// of 000, 8.14 but not 8.23 two Locations, and 7.88 all but the first. A site's report
// must not depend on the version that a system happens to ship, so the decision is made
// here, and is at least as strict as that of any version. Book page 19.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// Takes the lines that libcurl's header callback brings, one at a time.
class ResponseHead {
  public:
    /// `may_be_http2`: a head of HTTP/2 has no status line, so libcurl makes one up.
    explicit ResponseHead(std::size_t most_bytes, bool may_be_http2 = false)
        : most_bytes_(most_bytes), may_be_http2_(may_be_http2) {}

    /// Takes the next line, with its line end; after the head, a trailer. False if the
    /// response must not be used: `refusal` says why. Heads with a status below 200 come
    /// before the one that counts, and are dropped.
    bool take(std::string_view line);
    /// True once the empty line after the last header has come.
    bool complete() const { return state_ == State::complete; }
    /// Why the response must not be used; empty if it may be.
    const std::string& refusal() const { return refusal_; }

    int status() const { return status_; }
    /// What Content-Length says of the body; nothing if its end is found in another way.
    std::optional<std::size_t> body_length() const;
    /// True if no other response may be expected behind this one, because servers may
    /// disagree about its end: its chunks say one thing, and something else another.
    /// Source: RFC 9112, sections 6.1 and 6.3, which let a client believe the chunks, as
    /// browsers do, if it then closes the connection.
    bool is_last() const { return is_last_; }
    /// The first header of that name, ignoring case; empty if there is none.
    std::string_view header(std::string_view name) const;
    /// Gives the first header of that name another value. There must be one.
    void replace(std::string_view name, std::string value);
    /// The values of all headers of that name, each as it came.
    std::vector<std::string_view> values(std::string_view name) const;
    /// The items of all headers of that name: "a", "b" and "c" for "a, b" and "c".
    /// Source: RFC 9110, section 5.6.1.
    std::vector<std::string_view> list(std::string_view name) const;
    /// How long to wait, from `now`, before another request; 0 if the server doesn't say,
    /// says something that can't be understood, or names a date in the past; at most a
    /// year.
    /// Source: RFC 9110, section 10.2.3.
    std::chrono::seconds retry_after(std::chrono::system_clock::time_point now) const;

  private:
    enum class State : std::uint8_t { status_line, headers, complete };

    bool refuse(std::string_view why);
    bool take_status_line(std::string_view line);
    bool take_header(std::string_view line);
    bool continue_header(std::string_view text);
    bool end();

    const std::size_t most_bytes_;
    const bool may_be_http2_;
    std::size_t bytes_ = 0;
    std::size_t lines_ = 0;
    State state_ = State::status_line;
    int status_ = 0;
    bool is_http1_0_ = false;
    bool is_last_ = false;
    std::vector<std::pair<std::string, std::string>> headers_;
    std::string location_; // the first that isn't empty, of all heads
    std::string refusal_;
};

/// The refusal of a head that libcurl refused before its line came to us, in the words
/// that ResponseHead would have used. `message` is what libcurl says of it.
std::string_view refusal_for(std::string_view message);

/// "16 MiB", "500 KiB", "17 bytes".
std::string describe_size(std::size_t bytes);

} // namespace stage3
