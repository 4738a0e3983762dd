// What the crawl reports about a URL once its fetch has ended.
#pragma once

#include "common/web/link_place.h"
#include "common/web/links.h"
#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stage3 {

/// What became of it.
enum class Outcome : std::uint8_t {
    page,       ///< 2xx, and read for links
    file,       ///< 2xx, of a type that holds no links
    redirect,   ///< sent elsewhere
    error,      ///< there is an answer, but it leads nowhere
    failed,     ///< no complete response, or no way to get one
    disallowed, ///< by robots.txt, so not fetched
    unclear,    ///< a foreign server won't tell us
};

/// "page", "file" and so on.
std::string_view name_of(Outcome outcome);

/// True for an outcome that no link should lead to.
inline bool is_dead(Outcome outcome) {
    return outcome == Outcome::error || outcome == Outcome::failed;
}

/// A page that mentions a URL, and where, if that's known.
struct MentionedOn {
    common::Url page;
    common::LinkPlace place;
};

/// A value: it points into no table, so it may outlive the crawl.
struct Record {
    explicit Record(common::Url u) : url(std::move(u)) {}

    common::Url url;
    std::optional<common::Url> parent = {}; ///< where it was first found; none: a root
    std::size_t depth = 0;                  ///< links away from a root, via `parent`
    Outcome outcome = Outcome::failed;
    int status = 0; ///< 0 if there was none
    /// Where a redirect leads, or a page that has nothing but a refresh; else empty.
    std::string next_url;
    std::string error;        ///< why it's dead or disallowed, in words; else empty
    std::string content_type; ///< as sent, without its parameters
    std::string charset;      ///< as the header names it
    std::size_t bytes = 0;    ///< of the body, as far as it has come, decompressed
    std::size_t links = 0;    ///< distinct ones in scope on the page
    std::size_t new_links = 0;
    int tries = 1;
    double seconds = 0; ///< since the first try began
    std::optional<common::LinkRole> role =
        {};                       ///< how `parent` refers to it; none: a root
    bool is_foreign = false;      ///< on a server that isn't the crawl's own
    common::LinkPlace place = {}; ///< where `parent` refers to it, if that's known
    /// Not empty: the URL is alive, but has no element for this fragment. As
    /// common::readable_fragment spells it.
    std::string fragment = {};
    std::string nearest_id = {}; ///< that the page has, for a fragment; empty: unknown
    std::vector<MentionedOn> mentions = {}; ///< of a fragment
    std::size_t more_mentions = 0;          ///< that aren't kept
};

} // namespace stage3
