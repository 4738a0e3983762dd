// Finds the start tags in a page, and nothing else.
//
// A browser builds a tree. Whoever wants only the links needs to know one thing: where do
// tags begin? Not inside comments, scripts or quotes. That takes a few states of the HTML
// Standard's tokenizer, and every byte is looked at once or twice, whatever the page
// holds. Page 27 of the book.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace common {

/// The elements that can carry a link, or say something about links.
enum class LinkElement : std::uint8_t { a, area, base, frame, iframe, meta };

/// One start tag that may carry a link: its attributes that matter, as they stand in the
/// page (see `decoded`). The views are valid as long as the page is.
struct LinkTag {
    LinkElement element = LinkElement::a;
    // A tag has an attribute or it hasn't: an empty view with a null pointer means no.
    std::string_view href;
    std::string_view src;
    std::string_view http_equiv;
    std::string_view content;
    std::string_view charset;
};

/// True if the tag has the attribute, even with an empty value.
constexpr bool is_there(std::string_view attribute) {
    return attribute.data() != nullptr;
}

/// Goes through a page from one tag to the next.
/// Source: https://html.spec.whatwg.org/multipage/parsing.html#tokenization
class HtmlScanner {
  public:
    /// `page` is UTF-8 (or ASCII as far as it matters), and must outlive the scanner.
    explicit HtmlScanner(std::string_view page) : page_(page) {}

    /// Finds the next start tag of a LinkElement. False at the page's end; a tag that the
    /// end cuts off is none.
    bool next(LinkTag& tag);

  private:
    // What is inside of what, as far as it decides how text is read. Only SVG and MathML
    // and the way back to HTML count.
    enum class Inside : std::uint8_t { svg, math, html_again };

    bool at_markup(LinkTag& tag);
    bool at_start_tag(LinkTag& tag);
    void at_end_tag();
    void at_declaration();
    void skip_comment();
    void skip_raw_text(std::string_view name);
    void skip_script();
    void skip_past(std::string_view text);
    bool skip_to_tag_end();
    bool read_attributes(LinkTag* tag, bool& self_closing);
    std::string_view read_tag_name();
    bool closes(std::size_t at, std::string_view name) const;
    bool in_foreign_content() const;
    void enter(std::string_view name, bool self_closing);
    void leave(std::string_view name);

    std::string_view page_;
    std::size_t at_ = 0;
    std::string inside_; // a stack of Inside, one byte each
};

/// An attribute's value with its character references resolved: "a&amp;b" → "a&b", and
/// with U+FFFD for each zero. What is no reference stays as it is. Uses `storage` only if
/// there is something to resolve.
/// Source: https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state
std::string_view decoded(std::string_view value, std::string& storage);

/// The URL in a meta refresh's content: "5; url=/next" or "0;URL='next.html'". Empty if
/// there is none.
/// Source: the HTML Standard, shared declarative refresh steps.
std::string_view refresh_target(std::string_view content);

} // namespace common
