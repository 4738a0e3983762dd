// Which pages mention a URL?
//
// A person who has to mend a dead link needs all of them. But nobody asks for those of a
// URL that is alive, and most are. So each URL has a list while it may be dead; once it's
// alive, its list is dropped, and others use the room. Page 33 of the book.
#pragma once

#include "common/web/link_place.h"
#include "stage3_queue_crawler/crawler/chunked_list.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

namespace stage3 {

/// Lists of mentions, in one table: each entry has the number of the next one in its
/// list, and the last one that of the first. So a list is a number, its last entry's.
class Mentions {
  public:
    using Number = std::uint32_t;
    static constexpr Number none = std::numeric_limits<Number>::max();

    /// Appends to the list that ends at `last`, which then ends at the result.
    Number add(Number last, Number page, common::LinkPlace place = {}) {
        const Number number = take_free();
        entries_[number].page = page;
        if (place.is_known()) {
            if (places_.size() <= number)
                places_.resize(entries_.size());
            places_[number] = std::move(place);
        }
        entries_[number].next = last == none ? number : entries_[last].next;
        if (last != none)
            entries_[last].next = number;
        ++size_;
        return number;
    }
    /// Drops the list that ends at `last`.
    void drop(Number last) {
        if (last == none)
            return;
        for (Number at = entries_[last].next;; at = entries_[at].next) {
            --size_;
            if (at < places_.size())
                places_[at] = {};
            if (at == last)
                break;
        }
        std::swap(entries_[last].next, free_);
    }
    /// Says where an entry's page mentions the URL.
    void set_place(Number number, common::LinkPlace place) {
        if (places_.size() <= number)
            places_.resize(entries_.size());
        places_[number] = std::move(place);
    }

    /// Calls `take` with the page and the place of each, in order.
    template <class Take>
    void for_each(Number last, Take take) const {
        for (Number at = last; at != none;) {
            at = entries_[at].next;
            take(entries_[at].page, place(at));
            if (at == last)
                return;
        }
    }
    /// Of the list that ends at `last`.
    Number first(Number last) const { return entries_[last].next; }
    Number page(Number number) const { return entries_[number].page; }
    /// It may be unknown.
    const common::LinkPlace& place(Number number) const {
        static const common::LinkPlace unknown;
        return number < places_.size() ? places_[number] : unknown;
    }

    /// How many there are, in all lists.
    std::size_t size() const { return size_; }

  private:
    struct Entry {
        Number page;
        Number next;
    };

    Number take_free() {
        if (free_ == none) {
            entries_.emplace_back();
            return static_cast<Number>(entries_.size() - 1);
        }
        return std::exchange(free_, entries_[free_].next);
    }

    ChunkedList<Entry, 1024> entries_; // it never needs twice its room, as a vector does
    std::deque<common::LinkPlace> places_; // by the same numbers; empty if unknown
    Number free_ = none; // entries in no list: this one, its next, and so on to `none`
    std::size_t size_ = 0;
};

} // namespace stage3
