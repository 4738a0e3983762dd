// Where does a document mention a URL, and in which words?
//
// A person who has to mend a dead link wants to know more than the page: the line, the
// column, and the words that a reader would click on. Page 33 of the book.
#pragma once

#include "common/web/link_role.h"
#include "common/web/url.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// The places of a document's references, in the order of the document. There may be
/// thousands, so their texts are one string.
struct PlacesOnPage {
    /// What is unknown is 0, or empty.
    struct One {
        std::uint32_t target; ///< its index in `targets`
        std::uint32_t line;   ///< the first one is 1
        std::uint32_t column; ///< where the reference begins, in characters, from 1
        std::uint32_t begin;  ///< in `text`: the reference, then the words
        std::uint16_t href_size;
        std::uint16_t text_size;
        LinkRole role;
    };
    std::vector<Url> targets; ///< each once
    std::vector<One> list;
    std::string text;

    /// The reference as it's written, with character references resolved.
    std::string_view href(const One& one) const {
        return std::string_view(text).substr(one.begin, one.href_size);
    }
    /// The text in which the words are that a reader clicks on, as it's written: what is
    /// between a link's tags, or an image's tag. It may be cut off.
    std::string_view words(const One& one) const {
        return std::string_view(text).substr(one.begin + one.href_size, one.text_size);
    }
};

} // namespace common
