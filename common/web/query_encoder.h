// A link's query, in the letters that its page is written in.
//
// Everything in a URL is percent-encoded UTF-8, with one exception as old as forms: the
// query of a link on a page in windows-1251 is encoded in windows-1251. Its server
// expects it so. Page 27 of the book.
#pragma once

#include "common/web/iconv_handle.h"

#include <string>
#include <string_view>

namespace common {

/// For the links of one page, all in valid UTF-8.
class QueryEncoder {
  public:
    /// `charset` is the page's, as `to_utf8` names it.
    explicit QueryEncoder(std::string_view charset);

    /// The reference with what isn't ASCII in its query percent-encoded in the page's
    /// character set. A character that this doesn't have becomes "%26%23NNN%3B", which is
    /// "&#NNN;". Valid until the next call.
    /// Source: https://url.spec.whatwg.org/#query-state, and "percent-encode after
    /// encoding"; https://encoding.spec.whatwg.org/ for the encoders.
    std::string_view in_charset(std::string_view reference);
    /// The same in UTF-8, as for URLs in style sheets, whatever the page is written in.
    std::string_view in_utf8(std::string_view reference);

  private:
    void append_query(std::string_view query);
    void append_iso_2022_jp(std::string_view query);
    void append_character(char32_t character);
    std::string bytes_of(char32_t character);
    bool is_of_the_web(char32_t character, std::string_view bytes) const;
    std::string converted(char32_t character);
    bool is_japanese() const;

    std::string charset_;
    IconvHandle converter_;
    std::string result_;
};

} // namespace common
