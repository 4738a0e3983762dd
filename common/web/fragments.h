// Does a page have the place that a fragment points to?
//
// A browser that follows "page.html#install" looks for an element with that id. If there
// is none, it shows the beginning of the page and says nothing. Page 32 of the book.
#pragma once

#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// Two texts have the same one by chance once in four billion.
std::uint32_t hash_of_id(std::string_view id);

/// The ids of a page, and the names of its `a` elements, as hashes: a table that's at
/// least half empty, so a look into it seldom takes a second one.
class IdSet {
  public:
    void insert(std::string_view id) { insert(hash_of_id(id)); }
    void insert(std::uint32_t hash);
    bool contains(std::uint32_t hash) const;
    std::size_t size() const { return size_; }
    /// All of them, in no order.
    std::vector<std::uint32_t> hashes() const;

  private:
    std::size_t find_slot(std::uint32_t hash) const;

    static constexpr std::uint32_t empty = 0;
    std::vector<std::uint32_t> slots_; // a power of two
    std::size_t size_ = 0;
};

/// What a reference says after its '#', if a page needs an element for it. Nothing if
/// any page will do: for "#", "#top", "#:~:text=" (which browsers look for in the text),
/// "#/" and "#!", with which scripts navigate, and "#svgView(", which shows a picture in
/// part.
/// It's a part of the reference, or of `storage`.
std::optional<std::string_view> fragment_to_find(std::string_view reference,
                                                 std::string& storage);

/// True if it's seldom an element's id, but a text for a script: "L10", "L10-L20" and
/// "L10C3-L20C5" are lines of a file on code hosts, "page=3" and "t=90" are values.
bool is_for_scripts(std::string_view fragment);

/// The same fragment for people, in one spelling: "#%C3%A9" and "#é" are "é". What can't
/// be seen, and what would end a URL in a text, is percent-encoded. A browser goes to the
/// same place.
std::string readable_fragment(std::string_view fragment);

/// A fragment, and its hash, which takes longer to compute than to compare.
struct Fragment {
    explicit Fragment(std::string_view t) : text(t), hash(hash_of_id(t)) {}
    Fragment(std::string_view t, std::uint32_t h) : text(t), hash(h) {}

    std::string_view text;
    std::uint32_t hash;
};

/// Does one of the ids match: as it's written, or percent-decoded? Or with
/// "user-content-" before it: GitHub and others write the ids of other people's texts
/// like that, and a script of theirs finds them.
/// Source: the HTML Standard, "find a potential indicated element".
bool is_indicated(const Fragment& fragment, const IdSet& ids);

/// The fragments of a document's links. There may be thousands, so their texts are one
/// string.
struct LinkFragments {
    struct Place {
        std::uint32_t page; ///< its index in `pages`
        std::uint32_t hash;
        std::uint32_t begin; ///< in `text`
        std::uint32_t size;
        /// Which of the places on its page, if that is known (PlacesOnPage::list).
        std::uint32_t written = nowhere;
    };
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    std::vector<Url> pages; ///< that they point into, each once
    std::vector<Place> places;
    std::string text;

    void add(std::uint32_t page, const Fragment& fragment);
    Fragment fragment(const Place& place) const {
        return {std::string_view(text).substr(place.begin, place.size), place.hash};
    }
    bool empty() const { return places.empty(); }
};

} // namespace common
