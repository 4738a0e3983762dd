// A URL to fetch, and what was found there: the values that a frontier hands out and
// takes back.
//
// They have their own file, since what reads a page needs them, and needs nothing of the
// frontier, which decides what comes next. Page 14a of the book.
#pragma once

#include "common/web/url.h"
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

/// Why a URL may not be fetched.
struct Refusal {
    std::string reason;         ///< what robots.txt says; empty: there was no answer
    std::exception_ptr failure; ///< and why not
};

/// A URL to fetch, and what it has been through. A value: it points into no table.
struct Work {
    explicit Work(common::Url u) : url(std::move(u)) {}

    common::Url url;
    std::uint32_t depth = 0; ///< links away from a root
    int redirects_left = 0;  ///< that may still be followed from here
    int tries = 0;           ///< with the one that it was taken out for
    bool is_root = false;
    bool goes_first = false;                     ///< it has had its turn, and comes back
    bool has_begun = false;                      ///< its request has gone out
    bool was_tried = false;                      ///< at least once
    EventLoop::TimePoint begun{};                ///< if so: when it was first taken out
    std::shared_ptr<const Refusal> refusal = {}; ///< none: it may be fetched
    std::uint64_t ticket = 0;                    ///< by which its frontier knows it again
};
/// What it is called in traces.
inline std::string_view trace_name(const Work& work) { return work.url.href(); }

/// What was found at a URL.
struct Found {
    std::vector<common::Url> links;      ///< each once
    std::optional<common::Url> redirect; ///< to follow
};

} // namespace stage3
