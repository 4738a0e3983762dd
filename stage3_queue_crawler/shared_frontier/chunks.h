// Links on their way to a server.
//
// A page may have ten thousand links to a thousand hosts, each of which belongs to one
// server. So they travel in chunks: each is for one server, and short enough to be put
// in at once. frontier.lua describes the format. Page 29 of the book.
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stage3 {

/// Which of `servers` servers has that host: always the same one, on every machine.
std::size_t server_of(std::string_view host, std::size_t servers);

/// What the links of a chunk have in common.
struct LinkKind {
    char what =
        'l'; ///< `l`: links; `d`: too deep to be followed; `r`: a redirect, or a root
    std::uint32_t depth = 0;
    int redirects_left = 0;
};

/// For one server.
struct Chunk {
    std::size_t server;
    std::string kind;  ///< "DEPTH REDIRECTS WHAT"
    std::string hosts; ///< "HOST COUNT HOST COUNT …": whose the URLs are
    std::vector<std::string> urls;

    /// As a single text, a line for each of these.
    std::string text() const;
};

/// The links in chunks of at most `most`; those of one host keep their order.
std::vector<Chunk> make_chunks(std::span<const common::Url> links, const LinkKind& kind,
                               std::size_t servers, std::size_t most = 500);

} // namespace stage3
