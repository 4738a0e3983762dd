// Every URL that the crawl has met, and what has become of it.
//
// Stage 1's crawl had two sets. This one has a table: each URL is in it once, with a
// state. "Is it new? Then remember it" stands in one function, and needs no lock, since
// no other task runs between the question and the answer. Told in
// book/14 and 14a.
#pragma once

#include "common/web/url.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace stage3 {

/// A URL that the crawl has met. It stays where it is as long as the table lives.
struct KnownUrl {
    enum class State : std::uint8_t {
        met,     ///< on a page, but nobody has asked for it, or not yet
        queued,  ///< it's an item of work: waiting, under way, or put off
        fetched, ///< done; also if it was a redirect
        dead,    ///< done: it could not be fetched
    };
    static constexpr std::size_t most_pages = 10;

    const common::Url* url = nullptr;
    const KnownUrl* parent = nullptr; ///< where it was first found; nullptr: a root
    std::uint32_t depth = 0;          ///< links away from a root, by way of `parent`
    std::uint32_t times_met = 0;      ///< how many pages have a link to it
    State state = State::met;
    std::vector<const KnownUrl*> pages; ///< the first `most_pages` of these

    /// True if it was not known until now.
    bool is_new() const { return state == State::met && times_met == 0; }
    /// `page` has a link to it.
    void meet_on(const KnownUrl& page) {
        ++times_met;
        if (pages.size() < most_pages)
            pages.push_back(&page);
    }
};

class KnownUrls {
  public:
    /// The entry of `url`: a new one, if it has none.
    KnownUrl& operator[](const common::Url& url) {
        const auto [place, is_new] = urls_.try_emplace(url);
        if (is_new)
            place->second.url = &place->first;
        return place->second;
    }

    /// nullptr if it isn't known.
    const KnownUrl* find(const common::Url& url) const {
        const auto place = urls_.find(url);
        return place == urls_.end() ? nullptr : &place->second;
    }

    /// How many there are.
    std::size_t size() const { return urls_.size(); }

    /// How many wait to be fetched, or are being fetched.
    std::size_t count_queued() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(urls_, [](const auto& entry) {
                return entry.second.state == KnownUrl::State::queued;
            }));
    }

    // [none-is-lost]
    /// At the end of a crawl: what was begun has ended. Throws std::logic_error if a URL
    /// was to be fetched, and neither was nor is dead.
    void check_that_none_is_lost() const {
        for (const auto& [url, known] : urls_)
            if (known.state == KnownUrl::State::queued)
                throw std::logic_error(
                    url.href()
                    + " has been lost: please report this fault of the crawler");
    }
    // [/none-is-lost]

    /// All of them, in no order.
    std::vector<const KnownUrl*> all() const {
        std::vector<const KnownUrl*> result;
        result.reserve(urls_.size());
        for (const auto& [url, known] : urls_)
            result.push_back(&known);
        return result;
    }

  private:
    std::unordered_map<common::Url, KnownUrl> urls_;
};

} // namespace stage3
