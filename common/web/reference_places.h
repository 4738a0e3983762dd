// Where on its page is a reference written?
//
// Readers of HTML and XML hand over tags whose values are resolved. Their places are in
// the page as it's written, and this finds them there, for those who want to know. It
// costs them time for each reference, and all others nothing. Page 33 of the book.
#pragma once

#include "common/web/html_scanner.h"
#include "common/web/places_on_page.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// Where a reference is written, and in which words.
struct WrittenAt {
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t offset = nowhere; ///< in the page, in bytes
    std::uint32_t line = 0;         ///< if that's all that is known
    std::uint32_t words = 0;        ///< see ReferencePlaces::words
    std::uint16_t words_size = 0;
    bool has_own_words = false; ///< which aren't in the page
};

/// For one page.
class ReferencePlaces {
  public:
    /// `most`: of how many references to find the place.
    explicit ReferencePlaces(std::size_t most) : are_wanted_(most > 0), left_(most) {}

    bool are_wanted() const { return are_wanted_; }
    /// The page, in UTF-8. To be called first. It must live as long as this.
    void are_in(std::string_view page) { page_ = page; }
    /// The tag from which the next references come: `written` is as it's in the page, or
    /// in a document that is an attribute of the page's last tag, and `tag` is what
    /// became of it. `behind` is what follows. All live until the next one.
    void are_of(const LinkTag& tag, const LinkTag& written, std::string_view behind);
    /// The last tag is gone. What comes now, before the next one, has its place.
    void forget_tag() { tag_ = written_ = nullptr; }
    /// They come from that line. That's all that is known.
    void are_on(std::uint32_t line);
    /// The place of a reference that is a part of a value of the tag, or of the page.
    WrittenAt place_of(std::string_view reference);

    /// The text that has the words of a place: see PlacesOnPage.
    std::string_view words(const WrittenAt& place) const {
        return (place.has_own_words ? std::string_view(words_) : page_)
            .substr(place.words, place.words_size);
    }
    /// Sets the lines and columns of `places`; the nth is written at the nth.
    void number(std::vector<PlacesOnPage::One>& places,
                const std::vector<WrittenAt>& written) const;

  private:
    std::uint32_t offset_of(std::string_view reference) const;
    bool is_in_page(std::string_view text) const;
    void find_words();

    bool are_wanted_;
    std::size_t left_;
    std::string_view page_;
    const LinkTag* tag_ = nullptr;
    const LinkTag* written_ = nullptr;
    std::string_view behind_;
    WrittenAt of_tag_;
    bool has_words_ = false; // those of the tag
    std::string words_;      // of tags that aren't in the page
};

} // namespace common
