#include "stage3_queue_crawler/shared_frontier/result_words.h"

#include "stage3_queue_crawler/shared_frontier/frontier_session.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <span>
#include <utility>

namespace stage3 {

namespace {

/// Those fields of a record that the script doesn't know: see `done` in
/// frontier/5_results.lua.
void append(const Record& record, std::vector<std::string>& words) {
    words.emplace_back(name_of(record.outcome));
    words.push_back(record.status != 0 ? std::to_string(record.status) : "");
    words.push_back(record.next_url);
    words.push_back(record.error);
    words.push_back(record.content_type);
    words.push_back(record.charset);
    words.push_back(std::to_string(record.bytes));
    words.push_back(std::to_string(record.links));
    words.push_back(std::to_string(record.tries));
    words.push_back(fmt::format("{:.6f}", record.seconds));
}

/// For `done` and `park`.
std::string reaction(const HeldItem& item) { return item.was_answered ? "a" : "-"; }

} // namespace

std::vector<Chunk> chunks_of(const Item& item, common::LinkRole role, const Found& found,
                             const ChunkLimits& limits, std::size_t servers) {
    std::vector<Chunk> chunks;
    const auto add = [&](std::span<const common::Url> links, const LinkKind& kind) {
        std::ranges::move(make_chunks(links, kind, servers), std::back_inserter(chunks));
    };
    const auto why_of = [&](Purpose purpose, common::LinkRole as) {
        const bool may_be_private =
            purpose == Purpose::check_foreign && limits.may_be_private;
        return Why{.purpose = purpose, .role = as, .may_be_private = may_be_private};
    };
    const auto kind_of = [&](const Why& why) {
        // What belongs to a page isn't further away from a root.
        const bool is_link = common::leads_on(why.role);
        const bool too_deep = is_link && item.depth >= limits.max_depth;
        return LinkKind{.what = too_deep ? 'd' : 'l',
                        .depth = item.depth + (is_link ? 1 : 0),
                        .redirects_left = limits.max_redirects,
                        .why = why};
    };
    add(found.links, kind_of({}));
    std::map<Why, std::vector<common::Url>> others;
    for (const Reference& one : found.references)
        others[why_of(one.purpose, one.role)].push_back(one.url);
    for (const auto& [why, urls] : others)
        add(urls, kind_of(why));
    if (found.redirect)
        add({&*found.redirect, 1}, {.what = 'r',
                                    .depth = item.depth,
                                    .redirects_left = item.redirects_left - 1,
                                    .why = why_of(found.redirect_purpose, role)});
    return chunks;
}

std::vector<std::string> words_of_done(const HeldItem& held, const Record& record,
                                       std::string places, std::vector<Chunk> chunks,
                                       std::size_t here) {
    std::vector<std::string> words{"done", held.lease.url};
    append(record, words);
    words.push_back(std::move(places));
    words.emplace_back(reaction(held));
    const auto is_other = [here](const Chunk& chunk) { return chunk.server != here; };
    const auto others = static_cast<std::size_t>(std::ranges::count_if(chunks, is_other));
    words.push_back(std::to_string(others));
    for (const Chunk& chunk : chunks | std::views::filter(is_other)) {
        words.push_back(std::to_string(chunk.server));
        words.push_back(chunk.text());
    }
    words.push_back(std::to_string(chunks.size() - others));
    for (Chunk& chunk : chunks) {
        if (is_other(chunk))
            continue;
        words.push_back(std::move(chunk.kind));
        words.push_back(std::move(chunk.hosts));
        words.push_back(std::to_string(chunk.urls.size()));
        std::ranges::move(chunk.urls, std::back_inserter(words));
    }
    return words;
}

std::vector<std::string> words_of_park(const HeldItem& held, const Item& item,
                                       EventLoop::Duration wait) {
    return {"park",
            held.lease.url,
            milliseconds(wait),
            std::to_string(item.tries),
            std::to_string(item.refusals),
            reaction(held)};
}

} // namespace stage3
