// What must hold for whatever a server answers to stages 1 and 2. The input is a
// response; a byte 1 in it stands for 16 KiB of letters, so that the limit of the headers
// is in reach.
#include "common/web/http_response.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace {

using common::HttpResponse;
using tests::require;

constexpr std::size_t many_letters = std::size_t{16} * 1024;

/// True if a response without an error may still go on: it comes in chunks, and there may
/// be trailers, or its headers don't say how long it is.
bool has_open_end(const HttpResponse& response) {
    const bool has_body = response.status != 204 && response.status != 304;
    return has_body
           && (!response.header("Transfer-Encoding").empty()
               || response.header("Content-Length").empty());
}

/// True if there may be more of a response than this. That a status line is malformed is
/// noticed at the end of the headers, and up to "HTTP/" it isn't known.
bool is_unfinished(const HttpResponse& response) {
    if (response.error.empty())
        return has_open_end(response);
    return response.error.starts_with("truncated: ") || response.error == "empty response"
           || response.error == "not an HTTP response";
}

void check_parts(const HttpResponse& response, std::size_t size) {
    require(response.status == 0 || (response.status >= 100 && response.status <= 599),
            "a status has three digits");
    require(!response.error.empty() || response.status >= 200,
            "a whole response has a status");
    require(response.body.size() <= size, "a body is no longer than what arrived");
    require(std::ranges::all_of(response.error, [](char c) { return c >= 0x20; }),
            "an error is one line");
}

} // namespace

void tests::fuzz(std::string_view input) {
    std::string bytes;
    std::vector<std::size_t> cuts{0};
    for (const char c : input) {
        bytes += c == '\1' ? std::string(many_letters, 'x') : std::string(1, c);
        cuts.push_back(bytes.size());
        if (bytes.size() > 10 * many_letters)
            return;
    }
    const HttpResponse whole = common::split_http_response(bytes);
    check_parts(whole, bytes.size());

    common::ResponseEnd by_bytes;
    std::optional<std::size_t> end;
    HttpResponse before;
    for (const std::size_t cut : cuts) {
        const std::string_view so_far = std::string_view(bytes).substr(0, cut);
        if (by_bytes.reached(so_far)) {
            end = cut;
            break;
        }
        // Starting from the beginning each time would take long.
        const bool is_short = cuts.size() < 150 && cut < many_letters;
        require(!is_short || !common::ResponseEnd().reached(so_far),
                "there is no end before the one that is found byte by byte");
        require(!is_short || is_unfinished(before),
                "an end, or an error, is noticed at the next byte at the latest");
        if (is_short)
            before = common::split_http_response(so_far);
    }
    require(common::ResponseEnd().reached(bytes) == end.has_value(),
            "the end is the same at once as byte by byte");
    if (!end)
        return;
    const HttpResponse first =
        common::split_http_response(std::string_view(bytes).substr(0, *end));
    require(!first.error.starts_with("truncated: "),
            "a response that has reached its end is not called cut off");
    require(first.status == whole.status && first.headers == whole.headers
                && first.body == whole.body && first.error == whole.error,
            "bytes after the end change nothing");
}
