// Every URL that the crawl has met, and what became of it.
//
// Stage 1's crawl had two sets. This one has a table that holds each URL once, with a
// state. The check whether a URL is new and its insertion are in one function, and need
// no lock because no other task runs in between. Pages 13 and 16 of the book.
#pragma once

#include "common/web/link_place.h"
#include "common/web/links.h"
#include "common/web/url.h"
#include "stage3_queue_crawler/crawler/chunked_list.h"
#include "stage3_queue_crawler/crawler/mentions.h"
#include "stage3_queue_crawler/crawler/purpose.h"

#include <cstddef>
#include <cstdint>
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
    using Number = Mentions::Number;
    static constexpr Number none = Mentions::none;

    explicit KnownUrl(common::Url u) : url(std::move(u)) {}

    const common::Url url;
    Number parent = none;        ///< where it was first found; none: a root
    std::uint32_t depth = 0;     ///< links away from a root, via `parent`
    std::uint32_t times_met = 0; ///< how many pages link to it
    State state = State::met;
    Purpose purpose = Purpose::follow;
    common::LinkRole role = common::LinkRole::hyperlink; ///< how `parent` refers to it
    bool is_deferred = false;      ///< queued, until no page is left to be read
    bool is_redirect = false;      ///< done: it leads elsewhere
    bool is_met_elsewhere = false; ///< on a page other than itself
    bool is_unread = false;        ///< alive, and may be a page, but was only checked

    /// True if it was not known until now.
    bool is_new() const { return state == State::met && times_met == 0; }

  private:
    friend class KnownUrls;

    bool is_alive_ = false;            // so nobody asks for its mentions
    Number last_page_ = none;          // that links to it
    Mentions::Number mentions_ = none; // the last one
};

/// All of them: a list of entries, and a hash table of their numbers. (A
/// std::unordered_map allocates each entry separately, and doesn't number them.)
class KnownUrls {
  public:
    using Number = KnownUrl::Number;

    /// The number of `url`, which never changes. A new URL gets the next one.
    /// Throws std::length_error if there are too many to number.
    Number number_of(const common::Url& url) {
        if (4 * (entries_.size() + 1) > 3 * slots_.size())
            grow();
        const std::uint32_t mark = url.hash();
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
                              : slots_[find_slot(url, url.hash())].number;
    }
    /// nullptr if it isn't known.
    const KnownUrl* find(const common::Url& url) const {
        const Number number = find_number(url);
        return number == KnownUrl::none ? nullptr : &entries_[number];
    }

    // [mentions]
    /// The page `on` links to it. Its mention is kept while that may matter: always among
    /// the first ones of a URL, and then as long as there aren't too many in all.
    void meet(Number number, Number on) {
        KnownUrl& url = entries_[number];
        if (url.times_met > 0 && url.last_page_ == on)
            return; // as a picture, say, and as a link
        url.last_page_ = on;
        ++url.times_met;
        url.is_met_elsewhere = url.is_met_elsewhere || on != number;
        keep(url, on);
    }
    /// The URL `on` redirects to it.
    void redirect(Number number, Number on) { keep(entries_[number], on); }
    /// It's alive: its mentions are dropped, and no others are kept.
    void note_alive(Number number) {
        KnownUrl& url = entries_[number];
        url.is_alive_ = true;
        mentions_.drop(std::exchange(url.mentions_, KnownUrl::none));
    }
    // [/mentions]
    /// A place on the last page that links to it; there may be several.
    void add_place(Number number, const common::PlacesOnPage& page,
                   const common::PlacesOnPage::One& place) {
        KnownUrl& url = entries_[number];
        if (url.is_alive_ || url.mentions_ == KnownUrl::none
            || mentions_.page(url.mentions_) != url.last_page_)
            return;
        if (!mentions_.place(url.mentions_).is_known())
            mentions_.set_place(url.mentions_, {page, place});
        else if (has_room(url))
            url.mentions_ = mentions_.add(url.mentions_, url.last_page_, {page, place});
    }
    /// Calls `take` with the number of each page that mentions a URL, and with the place,
    /// if that's known. A page may come several times. None if the URL is alive.
    template <class Take>
    void for_each_mention(const KnownUrl& url, Take take) const {
        mentions_.for_each(url.mentions_, std::move(take));
    }
    /// Where its parent mentions it; it may be unknown.
    common::LinkPlace place_on_parent(Number number) const {
        const KnownUrl& url = entries_[number];
        if (url.mentions_ == KnownUrl::none)
            return {};
        const Mentions::Number first = mentions_.first(url.mentions_);
        return mentions_.page(first) == url.parent ? mentions_.place(first)
                                                   : common::LinkPlace();
    }

    /// How many there are.
    std::size_t size() const { return entries_.size(); }

    /// How many are waiting to be fetched, or are being fetched.
    std::size_t count_queued() const {
        std::size_t queued = 0;
        for (std::size_t i = 0; i < size(); ++i)
            queued += entries_[i].state == KnownUrl::State::queued ? 1 : 0;
        return queued;
    }

    /// For the end of a crawl, when all that was begun has ended. Throws std::logic_error
    /// if a URL was to be fetched but is neither fetched nor dead.
    void check_that_none_is_lost() const {
        for (std::size_t i = 0; i < size(); ++i)
            if (entries_[i].state == KnownUrl::State::queued)
                throw std::logic_error(
                    std::string(entries_[i].url.href())
                    + " has been lost: please report this fault of the crawler");
    }

    /// All of them, in the order in which they were met.
    std::vector<const KnownUrl*> all() const {
        std::vector<const KnownUrl*> result;
        result.reserve(entries_.size());
        for (std::size_t i = 0; i < size(); ++i)
            result.push_back(&entries_[i]);
        return result;
    }

    /// How many mentions are kept of any URL, and how many in all before others are
    /// dropped: 16 MB, and with places about ten times as much.
    static constexpr std::size_t least_mentions = 10;
    static constexpr std::size_t most_mentions = 2'000'000;

  private:
    bool has_room(const KnownUrl& url) const {
        return url.times_met <= least_mentions || mentions_.size() < most_mentions;
    }
    void keep(KnownUrl& url, Number on) {
        if (!url.is_alive_ && has_room(url))
            url.mentions_ = mentions_.add(url.mentions_, on);
    }

    /// A slot of the hash table: empty, or the number of an entry.
    struct Slot {
        std::uint32_t mark = 0; // the URL's hash; nearly all others have another
        Number number = KnownUrl::none;
    };

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

    ChunkedList<KnownUrl> entries_; // by number; it doesn't move them
    std::vector<Slot> slots_;       // a power of two; at least a quarter are free
    Mentions mentions_;
};

} // namespace stage3
