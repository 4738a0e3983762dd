// What came back for a URL: from its server now, or from an earlier visit.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace stage3 {

/// What only a state file must know of a response: see answers.h.
struct KeptParts;

/// How a server took a request.
enum class Reaction : std::uint8_t {
    none,       ///< there is no answer
    answered,   ///< with any status but these:
    refused,    ///< it says that we are too fast, or that it's too busy
    busy,       ///< 503, without saying until when: it may be refusing, or broken
    displeased, ///< a foreign one: what it says isn't about the URL (see is_unclear)
};

/// A response, or as much of it as came.
struct PageResponse {
    int status = 0;           ///< 0 if none came
    std::string content_type; ///< the header's value
    std::string location;     ///< the header's value
    /// Where it comes from, if that isn't simply the URL that was asked for: the end of a
    /// circle of redirects, see cookie_circles.h. Links are relative to it.
    std::optional<common::Url> from = {};
    std::chrono::seconds retry_after{};
    Reaction reaction = Reaction::none;
    bool is_bot_wall = false;   ///< what answered lets only people pass
    bool asks_too_much = false; ///< `retry_after` is longer than it will get
    std::string body;           ///< decompressed, if it's searched
    bool is_searched = false;   ///< for links, by PageFetch's decision
    /// Those on the page, if it was read in an earlier visit.
    std::shared_ptr<common::Links> links;
    std::size_t bytes = 0;   ///< of the body, as far as it has come
    std::string error;       ///< why it's incomplete; empty if it isn't
    bool is_refused = false; ///< not by the server, but by us: we don't trust it
    int earlier_tries = 0; ///< that it took in an earlier visit; 0: the server was asked
    std::shared_ptr<KeptParts> kept; ///< null: there is no state file
};

} // namespace stage3
