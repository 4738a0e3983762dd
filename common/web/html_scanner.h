// Finds the start tags in a page, and nothing else.
//
// A browser builds a tree. Whoever wants only the links needs to know one thing: where do
// tags begin? Not inside comments, scripts or quotes. That takes a few states of the HTML
// Standard's tokenizer, and every byte is looked at once or twice, whatever the page
// holds. Page 27 of the book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace common {

/// The elements that can carry a link, or say something about links. Those after `meta`
/// count only for a scanner that looks for more.
enum class LinkElement : std::uint8_t {
    a,
    area,
    base,
    frame,
    frameset,
    iframe,
    template_element,
    meta,
    audio,
    button,
    embed,
    form,
    img,
    input,
    link,
    object,
    script,
    source,
    style,
    track,
    video,
    svg_a,
    svg_image, ///< also feImage
    svg_script,
    svg_style,
    svg_use,   ///< also others that may refer to an element of another file
    svg_other, ///< any other element of SVG
    other, ///< any other that has an id, a style, or a background; the tag's other values
           ///< mean nothing
};

/// The element of that name, ignoring case. With `more`, also those after `meta`.
std::optional<LinkElement> link_element(std::string_view name, bool more = false);

/// The element of SVG that has this name; svg_other if none that matters has. HTML
/// ignores case, XML doesn't.
LinkElement svg_element(std::string_view name, bool ignores_case);

/// True for svg_a and those that follow.
constexpr bool is_of_svg(LinkElement element) {
    return element >= LinkElement::svg_a && element <= LinkElement::svg_other;
}

/// One start tag that may carry a link: its attributes that matter, as they stand in the
/// page (see `decoded`). The views are valid as long as the page is.
struct LinkTag {
    LinkElement element = LinkElement::a;
    // A tag has an attribute or it hasn't: an empty view with a null pointer means no.
    std::string_view href = {};
    std::string_view src = {};
    std::string_view http_equiv = {};
    std::string_view content = {};
    std::string_view charset = {};
    std::string_view action = {}; ///< a button's formaction
    std::string_view background = {};
    std::string_view data = {};
    std::string_view id = {};
    std::string_view imagesrcset = {};
    std::string_view method = {}; ///< a button's formmethod
    std::string_view name = {};
    std::string_view poster = {};
    std::string_view rel = {};
    std::string_view srcset = {};
    std::string_view style = {};
    std::string_view shadowrootmode = {};
    std::string_view srcdoc = {};
    std::string_view xlink_href = {};
    /// Of SVG: the values of fill, mask and so on that have a url(), as in a style sheet.
    /// They are copied, and valid until the next tag.
    std::string_view presentation = {};
    std::string_view text = {};    ///< what a style element contains
    std::string_view written = {}; ///< the whole tag, if that's looked for

    /// Where the value of that attribute belongs, ignoring case; null if it's none of
    /// these.
    std::string_view* place_of(std::string_view attribute);
};

/// The values of an element's presentation attributes that may have a url(), collected.
class Presentation {
  public:
    void clear() {
        css_.clear();
        seen_ = 0;
    }
    /// Takes an attribute, unless it's none of those, or was there before.
    void add(std::string_view name, std::string_view value);
    /// A null pointer if there are none.
    std::string_view css() const { return css_.empty() ? std::string_view() : css_; }

  private:
    std::string css_;
    std::uint32_t seen_ = 0; // names, as bits
};

/// True if the tag has the attribute, even with an empty value.
constexpr bool is_there(std::string_view attribute) {
    return attribute.data() != nullptr;
}

/// True for the elements that may have a picture as `background`.
bool has_background(std::string_view name);

/// True if a template's content is part of the page all the same, as a shadow tree.
bool is_shadow_root(const LinkTag& template_tag);

/// What else to look for, besides the elements up to `meta`.
struct LookFor {
    bool assets = false; ///< the other elements, and any element with a style
    bool ids = false;    ///< any element with an id
    bool places = false; ///< what the tags are written as
    bool slowly = false; ///< without a short way, so that a test can compare
};

/// Goes through a page from one tag to the next. What a <template> contains is left out.
/// Source: https://html.spec.whatwg.org/multipage/parsing.html#tokenization
class HtmlScanner {
  public:
    /// `page` is UTF-8 (or ASCII as far as it matters), and must outlive the scanner.
    explicit HtmlScanner(std::string_view page, LookFor look_for = {})
        : page_(page), look_for_(look_for) {}

    /// Finds the next start tag of a LinkElement. False at the page's end; a tag that the
    /// end cuts off is none.
    bool next(LinkTag& tag);
    /// What follows the last tag.
    std::string_view rest() const { return page_.substr(at_); }

  private:
    // What is inside of what, as far as it decides how text is read. Only SVG and MathML,
    // the way back to HTML, and templates count.
    enum class Inside : std::uint8_t {
        svg,
        math,
        title, // this one and the next two hold HTML in SVG
        desc,
        foreign_object,
        text_of_math, // and this is what does in MathML
        template_element,
    };

    bool at_markup(LinkTag& tag);
    void pass_plain_tags();
    bool at_start_tag(LinkTag& tag);
    std::optional<LinkElement> foreign_element(std::string_view name) const;
    void finish_svg(LinkTag& tag);
    void at_end_tag();
    void at_declaration();
    void skip_comment();
    std::string_view style_in_svg() const;
    void skip_raw_text(std::string_view name);
    void skip_script();
    void skip_past(std::string_view text);
    bool skip_to_tag_end();
    bool read_attributes(LinkTag* tag, bool& self_closing);
    bool read_some_attributes(LinkTag* tag, bool& self_closing);
    void take_attribute(LinkTag& tag, std::string_view name, std::string_view value);
    std::string_view read_tag_name();
    bool closes(std::size_t at, std::string_view name) const;
    bool in_foreign_content() const;
    void enter(std::string_view name, const LinkTag& tag, bool self_closing);
    void enter_in_foreign_content(std::string_view name, bool self_closing);
    void enter_template(const LinkTag& tag);
    static std::optional<Inside> html_in_foreign_content(std::string_view name,
                                                         bool in_svg);
    void leave_foreign_content();
    void leave(std::string_view name);

    std::string_view page_;
    const LookFor look_for_;
    std::size_t at_ = 0;
    std::string inside_;            // a stack of Inside, one byte each
    std::size_t templates_ = 0;     // of those, these are templates
    bool is_inert_ = false;         // within a template
    std::size_t foreign_links_ = 0; // <a> that are open in SVG or MathML
    Presentation presentation_;     // of a tag in SVG
};

/// An attribute's value with its character references resolved: "a&amp;b" → "a&b", and
/// with U+FFFD for each zero. What is no reference stays as it is. Uses `storage` only if
/// there is something to resolve.
/// Source: https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state
std::string_view decoded(std::string_view value, std::string& storage);

/// Appends a character, given by its number in Unicode.
void append_utf8(std::string& result, std::uint32_t code);

/// The URL in a meta refresh's content: "5; url=/next" or "0;URL='next.html'". Empty if
/// there is none.
/// Source: the HTML Standard, shared declarative refresh steps.
std::string_view refresh_target(std::string_view content);

} // namespace common
