// Every URL that the crawl has met, and what became of it.
//
// Stage 1's crawl had two sets. This one has a table that holds each URL once, with a
// state. The check whether a URL is new and its insertion are in one function, and need
// no lock because no other task runs in between. Pages 13 and 16 of the book.
#pragma once

#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/purpose.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stage3 {

/// A URL that the crawl has met. It doesn't move while the table lives.
///
/// There may be millions, so it's small: instead of pointers to other entries, it holds
/// their numbers (see KnownUrls), which take half the space.
struct KnownUrl {
    enum class State : std::uint8_t {
        met,     ///< seen on a page, but not (yet) queued
        queued,  ///< work to do: waiting, under way, or put off
        fetched, ///< done, even if it was a redirect
        dead,    ///< done: it could not be fetched
    };
    using Number = std::uint32_t;
    static constexpr Number none = std::numeric_limits<Number>::max();
    static constexpr std::size_t most_pages = 10;

    explicit KnownUrl(common::Url u) : url(std::move(u)) {}

    const common::Url url;
    Number parent = none;        ///< where it was first found; none: a root
    std::uint32_t depth = 0;     ///< links away from a root, via `parent`
    std::uint32_t times_met = 0; ///< how many pages link to it
    State state = State::met;
    Purpose purpose = Purpose::follow;
    common::LinkRole role = common::LinkRole::hyperlink; ///< how `parent` refers to it
    bool is_deferred = false; ///< queued, until no page is left to be read

    /// True if it was not known until now.
    bool is_new() const { return state == State::met && times_met == 0; }
    /// `page` links to it.
    void meet_on(Number page) {
        if (times_met > 0 && pages().back() == page)
            return; // as a picture, say, and as a link
        pages_.at(std::min<std::size_t>(times_met, most_pages - 1)) = page;
        ++times_met;
    }
    /// Pages that link to it, at most `most_pages`: the first ones, and the last.
    std::span<const Number> pages() const {
        return std::span(pages_).first(std::min<std::size_t>(times_met, most_pages));
    }

  private:
    std::array<Number, most_pages> pages_{};
};

/// All of them: a deque of entries, and a hash table of their numbers. (A
/// std::unordered_map allocates each entry separately, and doesn't number them.)
class KnownUrls {
  public:
    using Number = KnownUrl::Number;

    /// The number of `url`, which never changes. A new URL gets the next one.
    /// Throws std::length_error if there are too many to number.
    Number number_of(const common::Url& url) {
        if (4 * (entries_.size() + 1) > 3 * slots_.size())
            grow();
        const std::uint32_t mark = mark_of(url);
        Slot& slot = slots_[find_slot(url, mark)];
        if (slot.number == KnownUrl::none) {
            if (entries_.size() == KnownUrl::none)
                throw std::length_error("too many URLs");
            const auto number = static_cast<Number>(entries_.size());
            entries_.emplace_back(url); // first, since it may run out of memory
            slot = {.mark = mark, .number = number};
        }
        return slot.number;
    }

    KnownUrl& operator[](Number number) { return entries_[number]; }
    const KnownUrl& operator[](Number number) const { return entries_[number]; }
    /// The entry of `url`; a new one if it has none.
    KnownUrl& operator[](const common::Url& url) { return entries_[number_of(url)]; }

    /// KnownUrl::none if it isn't known.
    Number find_number(const common::Url& url) const {
        return slots_.empty() ? KnownUrl::none
                              : slots_[find_slot(url, mark_of(url))].number;
    }
    /// nullptr if it isn't known.
    const KnownUrl* find(const common::Url& url) const {
        const Number number = find_number(url);
        return number == KnownUrl::none ? nullptr : &entries_[number];
    }

    /// How many there are.
    std::size_t size() const { return entries_.size(); }

    /// How many are waiting to be fetched, or are being fetched.
    std::size_t count_queued() const {
        return static_cast<std::size_t>(
            std::ranges::count(entries_, KnownUrl::State::queued, &KnownUrl::state));
    }

    /// For the end of a crawl, when all that was begun has ended. Throws std::logic_error
    /// if a URL was to be fetched but is neither fetched nor dead.
    void check_that_none_is_lost() const {
        for (const KnownUrl& known : entries_)
            if (known.state == KnownUrl::State::queued)
                throw std::logic_error(
                    std::string(known.url.href())
                    + " has been lost: please report this fault of the crawler");
    }

    /// All of them, in the order in which they were met.
    std::vector<const KnownUrl*> all() const {
        std::vector<const KnownUrl*> result;
        result.reserve(entries_.size());
        for (const KnownUrl& known : entries_)
            result.push_back(&known);
        return result;
    }

  private:
    /// A slot of the hash table: empty, or the number of an entry.
    struct Slot {
        std::uint32_t mark = 0; // bits of its hash; most other URLs differ in these
        Number number = KnownUrl::none;
    };

    static std::uint32_t mark_of(const common::Url& url) {
        return static_cast<std::uint32_t>(std::hash<common::Url>()(url));
    }

    /// The slot where the URL is, or would be. There must be a free slot.
    std::size_t find_slot(const common::Url& url, std::uint32_t mark) const {
        std::size_t at = mark & (slots_.size() - 1);
        while (slots_[at].number != KnownUrl::none
               && (slots_[at].mark != mark || entries_[slots_[at].number].url != url))
            at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    /// Doubles the number of slots.
    void grow() {
        std::vector<Slot> slots(std::max<std::size_t>(16, 2 * slots_.size()));
        slots.swap(slots_);
        for (const Slot& slot : slots) {
            if (slot.number == KnownUrl::none)
                continue;
            std::size_t at = slot.mark & (slots_.size() - 1);
            while (slots_[at].number != KnownUrl::none)
                at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    std::deque<KnownUrl> entries_; // by number; a deque doesn't move its entries
    std::vector<Slot> slots_;      // a power of two; at least a quarter are free
};

} // namespace stage3
