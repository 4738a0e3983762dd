// Which links point to a place that their page doesn't have?
//
// A link may be met before its page is read, or after. Those that come before wait in a
// list, and the page's ids, which are kept as hashes, answer for all others. What neither
// finds is missing. Page 32 of the book.
#pragma once

#include "common/web/fragments.h"
#include "common/web/link_place.h"
#include "stage3_queue_crawler/crawler/known_urls.h"
#include "stage3_queue_crawler/crawler/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace stage3 {

class Fragments {
  public:
    using Number = KnownUrl::Number;

    /// A link to a place: the page that it's on, and where it's written, if that's known.
    struct From {
        Number page;
        common::LinkPlace place;
    };
    /// A fragment that its page has no element for.
    struct Missing {
        Number page;
        std::string fragment;    ///< see common::readable_fragment
        std::string nearest_id;  ///< of the page; empty: none resembles the fragment
        std::vector<From> links; ///< to it, as many as are kept
        std::size_t more_pages;  ///< that have such links, and aren't among these
        Number end;              ///< where the page's redirects lead; the page itself
    };

    /// That page has been read.
    void read(Number number, common::IdSet ids);
    /// It redirects to `target`, and a browser takes the fragment along.
    void redirect(Number number, Number target);
    /// It turned out to be no page, or it can't be read: nothing is missing there.
    void forget(Number number);
    /// Links on the page `source` point into pages. `numbers` are those of
    /// `fragments.pages`; KnownUrl::none: it's no page of this crawl. `source` is
    /// KnownUrl::none if it's the user who points there. `places` are those of the links
    /// on the page; null: nobody has asked for them.
    void point(Number source, std::span<const Number> numbers,
               const common::LinkFragments& fragments,
               const common::PlacesOnPage* places = nullptr);

    /// Where that page's redirects lead, as far as they are known.
    Number end_of(Number number) const;
    /// True if links point into that page, perhaps by redirects, and it's still unknown
    /// what it has.
    bool wants(Number number) const;

    /// Those that are missing, by page and by fragment.
    std::vector<Missing> missing() const;

  private:
    /// A link that has come before its page.
    struct Waiting {
        Number source;
        std::uint32_t hash;
        std::uint32_t begin; // of the fragment, in Page::text
        std::uint32_t size;
    };
    /// Links with the same fragment, which the page itself doesn't have.
    struct Pointers {
        std::string fragment;
        std::vector<From> from;
        Number last = KnownUrl::none;
        std::size_t times = 0; // pages
    };
    struct Page {
        enum class State : std::uint8_t { unread, read, elsewhere, none };
        State state = State::unread;
        bool is_wanted = false;                // by a link into a page that leads here
        Number target = KnownUrl::none;        // if it's elsewhere
        common::IdSet ids;                     // if it has been read
        std::vector<Waiting> waiting;          // if it's unread
        std::string text;                      // of these
        std::vector<common::LinkPlace> places; // where these are, or empty
        std::unordered_map<std::uint32_t, Pointers> missing = {}; // by hash
    };

    void settle(Page& page, Page::State state);
    void miss(Page& page, Number source, const common::Fragment& fragment,
              common::LinkPlace place);
    void want(Number number);
    const common::IdSet* ids_of(Number number) const;

    std::unordered_map<Number, Page> pages_;
    std::size_t kept_ = 0; // links to missing places
};

/// A record for each fragment that is missing.
std::vector<Record> records_of_missing(const Fragments& fragments, const KnownUrls& urls);

} // namespace stage3
