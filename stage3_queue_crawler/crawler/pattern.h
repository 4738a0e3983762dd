// The patterns that a user writes: which URLs belong to a crawl, and which dead ones are
// known.
//
// Many people know another dialect. What means something there and something else here
// would silently match the wrong URLs, so it's refused by name. Page 32 of the book.
#pragma once

#include <memory>
#include <string>

#include <regex.h>

namespace stage3 {

/// A POSIX extended regular expression, with the C library's own words, such as \w and
/// \b. (Not std::regex, which recurses: GCC 12's overflows the stack on a long URL.)
/// Source: man 7 regex.
class Pattern {
  public:
    /// Throws std::invalid_argument, which says what is wrong with the text.
    explicit Pattern(const std::string& text);

    /// True if it's found anywhere in `text`. The time that this takes can grow with the
    /// square of the length, or faster: searching 8,000 letters `a` for "a.*a.*a.*z"
    /// takes a tenth of a second.
    bool is_found_in(const char* text) const;
    /// The same for a URL with a readable_fragment, also if that is percent-encoded.
    bool is_found_in_url(const std::string& url) const;

  private:
    struct Free {
        void operator()(regex_t* compiled) const {
            regfree(compiled);
            delete compiled;
        }
    };
    std::unique_ptr<regex_t, Free> compiled_;
};

} // namespace stage3
