// One place where a link is written, kept for the end of a crawl.
//
// There may be a million, so each is one piece of memory: four numbers, and the texts
// right behind them. A place that isn't known takes only a pointer. Page 33 of the book.
#pragma once

#include "common/web/link_role.h"
#include "common/web/places_on_page.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace common {

/// The value of an attribute of a tag, as it's written; a null pointer if there is none.
/// It's for people: where quotes hide a text that looks like it, this may be wrong.
std::string_view attribute_of(std::string_view tag, std::string_view name);

/// A value. If it's unknown, nothing may be asked of it.
class LinkPlace {
  public:
    LinkPlace() = default;
    LinkPlace(const PlacesOnPage& places, const PlacesOnPage::One& one)
        : LinkPlace({.line = one.line,
                     .column = one.column,
                     .href_size = one.href_size,
                     .text_size = one.text_size,
                     .role = one.role},
                    places.text.data() + one.begin) {}
    LinkPlace(const LinkPlace& other) { *this = other; }
    LinkPlace(LinkPlace&&) noexcept = default;
    LinkPlace& operator=(LinkPlace&&) noexcept = default;
    LinkPlace& operator=(const LinkPlace& other) {
        if (this != &other)
            *this = other.is_known()
                        ? LinkPlace(other.numbers(), other.bytes_.get() + sizeof(Numbers))
                        : LinkPlace();
        return *this;
    }
    ~LinkPlace() = default;

    bool is_known() const { return bytes_ != nullptr; }
    /// Where the reference begins: from 1, in characters. Column 0: only the line is
    /// known.
    std::uint32_t line() const { return numbers().line; }
    std::uint32_t column() const { return numbers().column; }
    LinkRole role() const { return numbers().role; }
    /// The reference as it's written, with character references resolved.
    std::string_view href() const {
        return {bytes_.get() + sizeof(Numbers), numbers().href_size};
    }
    /// What a reader clicks on, in one line, perhaps cut off; of an image, its alt; of a
    /// frame, its title. Perhaps empty. It's made now, since hardly anyone asks for it.
    std::string text() const;

    /// So much is kept of a text that has a link's words.
    static constexpr std::size_t most_words = 300;

  private:
    struct Numbers {
        std::uint32_t line;
        std::uint32_t column;
        std::uint16_t href_size;
        std::uint16_t text_size;
        LinkRole role;
    };
    LinkPlace(const Numbers& numbers, const char* texts)
        : bytes_(new char[sizeof(Numbers) + numbers.href_size + numbers.text_size]) {
        std::memcpy(bytes_.get(), &numbers, sizeof(Numbers));
        std::memcpy(bytes_.get() + sizeof(Numbers), texts,
                    std::size_t{numbers.href_size} + numbers.text_size);
    }
    Numbers numbers() const {
        Numbers numbers{};
        std::memcpy(&numbers, bytes_.get(), sizeof(Numbers));
        return numbers;
    }

    std::unique_ptr<char[]> bytes_; // NOLINT(modernize-avoid-c-arrays): its size varies
};

} // namespace common
