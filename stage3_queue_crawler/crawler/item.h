// A URL to fetch, and what was found there: the values that a frontier hands out and
// takes back.
//
// They have their own file because the code that reads a page needs them, but nothing of
// the frontier, which decides what comes next. Page 18b of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/purpose.h"
#include "stage3_queue_crawler/crawler/url_name.h"
#include "stage3_queue_crawler/runtime/loop/event_loop.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// Why a URL can't or may not be fetched.
struct Refusal {
    std::string reason;         ///< what robots.txt says; empty: there was no answer
    std::exception_ptr failure; ///< and why there was none
    bool has_ended = false;     ///< not robots.txt: its host is asked nothing more
};

/// No request can be made for a malformed URL. Null for all others.
inline std::shared_ptr<const Refusal> refusal_of(const common::Url& url) {
    return url.is_malformed() ? std::make_shared<const Refusal>() : nullptr;
}

/// A URL to fetch, and what it has been through. A value: it points into no table.
///
/// A frontier may add what only it needs: see its own `Item`. So the flags come last,
/// where a few more of them take no memory.
struct Item {
    explicit Item(common::Url u) : url(std::move(u)), refusal(refusal_of(url)) {}

    common::Url url;
    std::shared_ptr<const Refusal> refusal; ///< null: it may be fetched
    EventLoop::TimePoint begun{}; ///< if it was tried: when it was first taken out
    std::uint32_t depth = 0;      ///< links away from a root
    int redirects_left = 0;       ///< that may still be followed from here
    std::int16_t tries = 0;       ///< including one under way
    std::int16_t refusals = 0;    ///< by its server, which are no tries
    Purpose purpose : 7 = Purpose::follow;
    bool is_root : 1 = false;
    bool was_tried : 1 = false;     ///< at least once
    bool wants_page : 1 = true;     ///< a link leads there, not for example a picture
    bool is_remembered : 1 = false; ///< from an earlier visit: it needs no request
    bool is_told : 1 = false;       ///< it has a record already; only its ids are wanted
};
/// Its name in traces.
inline std::string_view trace_name(const Item& item) { return name_of(item.url); }

/// A URL that is not a link to follow, and why to visit it.
struct Reference {
    common::Url url;
    common::LinkRole role;
    Purpose purpose;
};

/// What was found at a URL.
struct Found {
    std::vector<common::Url> links;      ///< each once
    std::optional<common::Url> redirect; ///< to follow
    Purpose redirect_purpose = Purpose::follow;
    bool redirect_has_fragment = false;     ///< which replaces that of the link
    std::vector<Reference> references = {}; ///< each once
    common::LinkFragments fragments = {};
    std::optional<common::PlacesOnPage> places = {}; ///< of all of these, if wanted
    std::optional<common::IdSet> ids = {}; ///< of a page, if fragments are checked
};

} // namespace stage3
