// What came back for a URL: from its server now, or from an earlier visit.
#pragma once

#include "common/web/links.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace stage3 {

/// What a state file adds to a response: see answers.h.
struct KeptParts {
    /// Where the response comes from.
    enum class Source : std::uint8_t {
        server,     ///< it was asked just now
        unchanged,  ///< it was asked, and says that its last answer is still right
        this_crawl, ///< asked before this crawl was interrupted
        recent,     ///< asked in an earlier crawl, not long ago
        old,        ///< asked in an earlier crawl: it may have changed since
    };
    Source source = Source::server;
    std::string etag;                        ///< the header's value
    std::string last_modified;               ///< the header's value
    std::int64_t asked_at = 0;               ///< Unix time; 0: now
    int tries = 0;                           ///< that it took, if not now
    bool may_be_private = false;             ///< what Session::may_be_private said then
    std::optional<common::Links> links = {}; ///< the page's, if it was read earlier
};

/// How a server took a request.
enum class Reaction : std::uint8_t {
    none,     ///< there is no answer
    answered, ///< with any status but these:
    refused,  ///< it says that we are too fast, or that it's too busy
    busy,     ///< 503, without saying until when: it may be refusing, or broken
};

/// A response, or as much of it as came.
struct PageResponse {
    int status = 0;           ///< 0 if none came
    std::string content_type; ///< the header's value
    std::string location;     ///< the header's value
    std::chrono::seconds retry_after{};
    Reaction reaction = Reaction::none;
    bool asks_too_much = false;      ///< `retry_after` is longer than it will get
    std::string body;                ///< decompressed, if it's searched
    bool is_searched = false;        ///< for links, by PageFetch's decision
    std::size_t bytes = 0;           ///< of the body, as far as it has come
    std::string error;               ///< why it's incomplete; empty if it isn't
    bool is_refused = false;         ///< not by the server, but by us: we don't trust it
    std::shared_ptr<KeptParts> kept; ///< null: there is no state file

    /// True if the server wasn't asked, or had nothing new to say.
    bool is_earlier() const {
        return kept != nullptr && kept->source != KeptParts::Source::server;
    }
};

} // namespace stage3
