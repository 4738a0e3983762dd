// Which links point to a place that their page doesn't have?
//
// A link may be met before its page is read, or after, so both wait here for each other:
// of a page, the hashes of its ids; of a link, its fragment, until it's found. What is
// left at the end is missing. Page 32 of the book.
#pragma once

#include "common/web/fragments.h"
#include "stage3_queue_crawler/crawler/known_urls.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stage3 {

class Fragments {
  public:
    using Number = KnownUrl::Number;

    /// A fragment that its page has no element for.
    struct Missing {
        Number page;
        std::string fragment;
        std::vector<Number> pointed_from; ///< the first `most_pages` pages
        std::size_t times;                ///< from how many
    };
    static constexpr std::size_t most_pages = KnownUrl::most_pages;

    /// `page` has been read.
    void read(Number page, common::IdHashes ids);
    /// `page` redirects to `target`, and a browser takes the fragment along.
    void redirect(Number page, Number target) {
        redirects_.insert_or_assign(page, target);
    }
    /// A link on the page `source` points into `target`.
    void point(Number source, Number target, const std::string& fragment);

    /// Those that are missing, by page and by fragment. What wasn't
    /// read has no ids, so nothing is missing there.
    std::vector<Missing> missing() const;

  private:
    struct Pointers {
        std::string fragment;
        std::vector<Number> from;
        std::size_t times = 0;
    };
    /// By the hash of the fragment.
    using Open = std::unordered_map<std::uint32_t, Pointers>;

    std::unordered_map<Number, common::IdHashes> ids_; // of pages
    std::unordered_map<Number, Open> open_;            // not found yet, by page
    std::unordered_map<Number, Number> redirects_;
};

} // namespace stage3
