// What is known of a URL once its fetch has ended.
#pragma once

#include "common/web/http_response.h"
#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace common {

/// What became of a URL.
enum class Outcome : std::uint8_t {
    page,     ///< 2xx, and may hold links
    file,     ///< 2xx, of a type that holds no links
    redirect, ///< sent elsewhere; `next` says where
    dead,     ///< another status, or no whole response; `error` says why
};

/// "page", "file", "redirect" or "dead".
std::string_view name_of(Outcome outcome);

struct Record {
    explicit Record(Url which) : url(std::move(which)) {}

    Url url;
    Outcome outcome = Outcome::dead;
    int status = 0;          ///< 0 if there was no response
    std::size_t bytes = 0;   ///< of the body; of all that came, if it is dead
    std::optional<Url> next; ///< where a redirect leads
    std::string error;       ///< why it is dead, in words
};

/// The record of `url`, for which this response came.
Record judge(Url url, const HttpResponse& response);

/// The record as a line for a person, without a line end: outcome, status, bytes, URL,
/// and what else there is to say.
std::string describe(const Record& record);

} // namespace common
