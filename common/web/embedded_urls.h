// URLs in texts with a grammar of their own: style sheets, and lists of images.
//
// In a style sheet, "url(" may be in a comment or a string, and its letters may be
// written as escapes. So what counts is what a tokenizer sees, and this is one, of which
// only what leads to URLs is left. Both take time in proportion to the text.
// Page 32 of the book.
#pragma once

#include <functional>
#include <string_view>

namespace common {

/// Called with each URL, as it's written, with escapes resolved. It's valid during the
/// call, and a part of the text if it has no escapes. `is_import`: it's another style
/// sheet.
using TakeCssUrl = std::function<void(std::string_view url, bool is_import)>;

/// Finds the url() and @import of a style sheet, or of a style attribute, and the strings
/// of an image-set(). Left out are those that name nothing to fetch: namespaces, and URLs
/// that begin with '#'.
/// Source: https://www.w3.org/TR/css-syntax-3/#tokenization, and
/// https://www.w3.org/TR/css-images-4/#image-set-notation
void find_css_urls(std::string_view css, const TakeCssUrl& take);

/// Finds the URLs in the value of a srcset, such as "a.png 1x, b.png 2x".
/// Source: https://html.spec.whatwg.org/multipage/images.html#parse-a-srcset-attribute
void find_srcset_urls(std::string_view srcset,
                      const std::function<void(std::string_view)>& take);

} // namespace common
