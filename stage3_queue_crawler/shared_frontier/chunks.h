// Links on their way to a server.
//
// A page may have ten thousand links to a thousand hosts, each of which belongs to one
// server. So they travel in chunks: each is for one server, and short enough to be put
// in at once. frontier/3_urls.lua describes the format. Page 29 of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/purpose.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// Which of `servers` servers has that host: always the same one, on every machine.
std::size_t server_of(std::string_view host, std::size_t servers);

/// Why a URL is to be visited, and how it was met: "fa" for a link to follow, and so on.
/// A foreign one may have a third letter: "xap".
struct Why {
    Purpose purpose = Purpose::follow;
    common::LinkRole role = common::LinkRole::hyperlink;
    /// The site's address is private, so that of a foreign server may be private, too.
    bool may_be_private = false;

    friend auto operator<=>(const Why&, const Why&) = default;
};
std::string to_text(const Why& why);
/// The first two letters must be there.
Why read_why(std::string_view text);
/// The role that the second letter stands for.
common::LinkRole role_of(char letter);

/// A URL as Redis has it: without blanks, which are between words there. (Only a
/// malformed URL has any.)
std::string to_word(const common::Url& url);
/// Reads what `to_word` has written; nothing if it's something else.
std::optional<common::Url> url_of_word(std::string word);

/// What the links of a chunk have in common.
struct LinkKind {
    char what =
        'l'; ///< `l`: links; `d`: too deep to be followed; `r`: a redirect, or a root
    std::uint32_t depth = 0;
    int redirects_left = 0;
    Why why = {};
};

/// For one server.
struct Chunk {
    std::size_t server;
    std::string kind;  ///< "DEPTH REDIRECTS WHAT WHY"
    std::string hosts; ///< "HOST COUNT HOST COUNT …": whose the URLs are
    std::vector<std::string> urls;

    /// As a single text, a line for each of these.
    std::string text() const;
};

/// The links in chunks of at most `most`; those of one host keep their order.
std::vector<Chunk> make_chunks(std::span<const common::Url> links, const LinkKind& kind,
                               std::size_t servers, std::size_t most = 500);

} // namespace stage3
