#include "stage3_queue_crawler/shared_frontier/chunks.h"

#include "common/web/malformed_url.h"
#include "stage3_queue_crawler/crawler/host.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace stage3 {

using common::Url;

// std::hash may differ from machine to machine. This is FNV-1a.
std::size_t server_of(std::string_view host, std::size_t servers) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : host)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU; // the last letters count, too
    return static_cast<std::size_t>((hash ^ (hash >> 33U)) % servers);
}

namespace {

// In the order of Purpose. Its last two are what only a frontier in memory asks for.
constexpr std::string_view purposes = "fcx";
constexpr char no_blank = '\x1f'; // no URL has it

} // namespace

std::string to_word(const Url& url) {
    std::string word(url.href());
    if (url.is_malformed())
        std::ranges::replace(word, ' ', no_blank);
    return word;
}

std::optional<Url> url_of_word(std::string word) {
    std::ranges::replace(word, no_blank, ' ');
    return common::read_href(word);
}

std::string to_text(const Why& why) {
    std::string text{purposes[static_cast<std::size_t>(why.purpose)],
                     static_cast<char>('a' + static_cast<int>(why.role))};
    if (why.may_be_private)
        text += 'p';
    return text;
}

Why read_why(std::string_view text) {
    return {.purpose = static_cast<Purpose>(
                std::min(purposes.find(text.at(0)), purposes.size() - 1)),
            .role = role_of(text.at(1)),
            .may_be_private = text.size() > 2};
}

common::LinkRole role_of(char letter) {
    const auto role = static_cast<common::LinkRole>(letter - 'a');
    const bool is_known = letter >= 'a'
                          && letter < 'a' + static_cast<int>(common::link_roles)
                          && role != common::LinkRole::sitemap;
    return is_known ? role : common::LinkRole::hyperlink;
}

namespace {

/// Links to one host.
struct Group {
    std::string host;
    std::vector<const Url*> links;
};

/// The hosts in the order in which they first occur.
std::vector<Group> by_host(std::span<const Url> links) {
    std::vector<Group> groups;
    std::unordered_map<std::string, std::size_t> places;
    for (const Url& link : links) {
        std::string host = host_of(link);
        const auto [place, is_new] = places.try_emplace(host, groups.size());
        if (is_new)
            groups.push_back({.host = std::move(host), .links = {}});
        groups[place->second].links.push_back(&link);
    }
    return groups;
}

} // namespace

std::string Chunk::text() const {
    std::string lines = kind + "\n" + hosts;
    for (const std::string& url : urls)
        lines.append("\n").append(url);
    return lines;
}

std::vector<Chunk> make_chunks(std::span<const Url> links, const LinkKind& kind,
                               std::size_t servers, std::size_t most) {
    const std::string head = fmt::format("{} {} {} {}", kind.depth, kind.redirects_left,
                                         kind.what, to_text(kind.why));
    std::vector<Chunk> chunks;
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> last(servers, none); // each server's last chunk
    for (const Group& group : by_host(links)) {
        const std::size_t server = server_of(group.host, servers);
        for (std::size_t i = 0; i < group.links.size();) {
            if (last[server] == none || chunks[last[server]].urls.size() == most) {
                last[server] = chunks.size();
                chunks.push_back(
                    {.server = server, .kind = head, .hosts = {}, .urls = {}});
            }
            Chunk& chunk = chunks[last[server]];
            const std::size_t count =
                std::min(most - chunk.urls.size(), group.links.size() - i);
            chunk.hosts +=
                fmt::format("{}{} {}", chunk.hosts.empty() ? "" : " ", group.host, count);
            for (const std::size_t end = i + count; i < end; ++i)
                chunk.urls.push_back(to_word(*group.links[i]));
        }
    }
    return chunks;
}

} // namespace stage3
