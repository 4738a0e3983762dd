#include "stage3_queue_crawler/http/response_head.h"

#include "common/text/ascii.h"
#include "stage3_queue_crawler/http/content_decoder.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <iterator>
#include <system_error>

namespace stage3 {
namespace {

constexpr std::size_t most_lines = 4500; // libcurl 8.14 stops at 5000

constexpr std::string_view no_http = "not an HTTP response";
constexpr std::string_view bad_length = "invalid Content-Length";
constexpr std::string_view bad_encoding = "unsupported Transfer-Encoding";
constexpr std::string_view too_many_codings = "too many content encodings";
constexpr std::string_view two_locations = "conflicting Location headers";
constexpr std::string_view bare_return = "a carriage return inside a header";

/// The items between commas, including empty ones.
std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> items;
    for (;;) {
        const auto comma = std::min(text.find(','), text.size());
        items.push_back(common::trim(text.substr(0, comma)));
        if (comma == text.size())
            return items;
        text.remove_prefix(comma + 1);
    }
}

bool is_name(std::string_view name, std::string_view expected) {
    return common::equal_ignoring_case(name, expected);
}

/// The number in "HTTP/1.1 200 OK"; 0 if this is no status line.
/// Source: RFC 9112, section 4.
int status_in(std::string_view line, bool may_be_http2) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos || line.size() < space + 4)
        return 0;
    const std::string_view digits = line.substr(space + 1, 3);
    const auto is_version = [&](std::string_view version) {
        return common::equal_ignoring_case(line.substr(0, space), version);
    };
    const bool is_status_line =
        (is_version("http/1.1") || is_version("http/1.0")
         || (may_be_http2 && is_version("http/2")))
        && std::ranges::all_of(digits, common::is_digit)
        && (line.size() == space + 4 || !common::is_digit(line[space + 4]));
    int status = 0;
    if (is_status_line)
        std::from_chars(digits.begin(), digits.end(), status);
    return status >= 100 ? status : 0;
}

// [refuse]
/// Why there is no telling where a response with these headers ends; empty if it's clear.
/// Source: RFC 9112, sections 6.1 and 6.3.
std::string_view why_to_refuse(const std::vector<std::string_view>& lengths,
                               const std::vector<std::string_view>& encodings) {
    constexpr std::size_t most_digits = 18; // a thousand petabytes
    for (const std::string_view length : lengths)
        if (length.empty() || length.size() > most_digits || length != lengths.front()
            || !std::ranges::all_of(length, common::is_digit))
            return bad_length;
    bool chunked = false;
    for (const std::string_view encoding : encodings) {
        const bool is_identity = common::equal_ignoring_case(encoding, "identity");
        if (is_identity ? chunked : !common::equal_ignoring_case(encoding, "chunked"))
            return bad_encoding;
        chunked = chunked || !is_identity;
    }
    return {};
}
// [/refuse]

} // namespace

bool ResponseHead::refuse(std::string_view why) {
    refusal_ = why;
    return false;
}

bool ResponseHead::take(std::string_view line) {
    bytes_ += line.size();
    ++lines_;
    if (bytes_ > most_bytes_)
        return refuse("headers larger than " + describe_size(most_bytes_));
    if (lines_ > most_lines)
        return refuse(fmt::format("more than {} header lines", most_lines));
    line = line.substr(0, line.find_last_not_of('\n') + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line.find('\r') != std::string_view::npos)
        return refuse(bare_return);
    switch (state_) {
    case State::status_line: return take_status_line(line);
    case State::headers: return line.empty() ? end() : take_header(line);
    case State::complete: return true; // a trailer: only counted
    }
    return true;
}

bool ResponseHead::take_status_line(std::string_view line) {
    status_ = status_in(line, may_be_http2_);
    is_http1_0_ = line.substr(0, line.find(' ')).ends_with("1.0");
    headers_.clear();
    headers_.reserve(16); // few answers have more
    state_ = State::headers;
    return status_ != 0 || refuse(no_http);
}

bool ResponseHead::take_header(std::string_view line) {
    if (line.front() == ' ' || line.front() == '\t')
        return continue_header(common::trim(line));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return refuse(no_http);
    const auto& [name, value] = headers_.emplace_back(
        common::trim(line.substr(0, colon)), common::trim(line.substr(colon + 1)));
    if (!is_name(name, "Location") || value.empty())
        return true;
    if (location_.empty())
        location_ = value;
    return location_ == value || refuse(two_locations);
}

/// An old way to break a long header over several lines. libcurl before 8.20 takes no
/// notice of it, so a length or encoding in such a line would mean one thing to libcurl
/// and another to us.
bool ResponseHead::continue_header(std::string_view text) {
    if (headers_.empty())
        return refuse(no_http);
    auto& [name, value] = headers_.back();
    if (is_name(name, "Content-Length"))
        return refuse(bad_length);
    if (is_name(name, "Transfer-Encoding"))
        return refuse(bad_encoding);
    if (!text.empty())
        value.append(value.empty() ? "" : " ").append(text);
    return true;
}

bool ResponseHead::end() {
    if (status_ < 200) {
        state_ = State::status_line;
        return true;
    }
    std::vector<std::string_view> lengths;
    for (const auto& [name, value] : headers_)
        if (is_name(name, "Content-Length"))
            std::ranges::copy(split(value), std::back_inserter(lengths));
    const std::vector<std::string_view> encodings = list("Transfer-Encoding");
    const std::string_view why = why_to_refuse(lengths, encodings);
    if (!why.empty())
        return refuse(why);
    is_last_ = !encodings.empty() && (!lengths.empty() || is_http1_0_);
    if (list("Content-Encoding").size() > ContentDecoder::most_codings)
        return refuse(too_many_codings);
    state_ = State::complete;
    return true;
}

std::string_view ResponseHead::header(std::string_view name) const {
    for (const auto& [known, value] : headers_)
        if (is_name(known, name))
            return value;
    return {};
}

void ResponseHead::replace(std::string_view name, std::string value) {
    const auto header = std::ranges::find_if(
        headers_, [name](const auto& one) { return is_name(one.first, name); });
    header->second = std::move(value);
}

std::optional<std::size_t> ResponseHead::body_length() const {
    const auto lengths = list("Content-Length"); // if there are several, they agree
    if (lengths.empty() || !list("Transfer-Encoding").empty())
        return {};
    std::size_t length = 0;
    std::from_chars(lengths[0].data(), lengths[0].data() + lengths[0].size(), length);
    return length;
}

std::vector<std::string_view> ResponseHead::values(std::string_view name) const {
    std::vector<std::string_view> values;
    for (const auto& [known, value] : headers_)
        if (is_name(known, name))
            values.push_back(value);
    return values;
}

std::vector<std::string_view> ResponseHead::list(std::string_view name) const {
    std::vector<std::string_view> items;
    for (const auto& [known, value] : headers_)
        if (is_name(known, name))
            for (const std::string_view item : split(value))
                if (!item.empty())
                    items.push_back(item);
    return items;
}

std::chrono::seconds
ResponseHead::retry_after(std::chrono::system_clock::time_point now) const {
    constexpr std::chrono::seconds for_ever = std::chrono::hours(24 * 365);
    const std::string value(header("Retry-After"));
    if (!value.empty() && std::ranges::all_of(value, common::is_digit)) {
        long long seconds = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), seconds);
        return error == std::errc{} ? std::min(std::chrono::seconds(seconds), for_ever)
                                    : std::chrono::seconds(0);
    }
    const time_t date = curl_getdate(value.c_str(), nullptr); // -1: it isn't one
    const auto wait = std::chrono::floor<std::chrono::seconds>(
        std::chrono::system_clock::from_time_t(date) - now);
    return std::clamp(wait, std::chrono::seconds(0), for_ever);
}

std::string_view refusal_for(std::string_view message) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{{
        {"content encodings", too_many_codings},
        {"Content-Length", bad_length},
        {"Transfer-Encoding", bad_encoding},
        {"Location", two_locations},
        {"Carriage return", bare_return},
    }};
    for (const auto& [theirs, ours] : known)
        if (message.find(theirs) != std::string_view::npos)
            return ours;
    return no_http;
}

std::string describe_size(std::size_t bytes) {
    constexpr std::size_t mebi = std::size_t{1024} * 1024;
    if (bytes >= mebi && bytes % mebi == 0)
        return fmt::format("{} MiB", bytes / mebi);
    if (bytes >= 1024 && bytes % 1024 == 0)
        return fmt::format("{} KiB", bytes / 1024);
    return fmt::format("{} bytes", bytes);
}

} // namespace stage3
