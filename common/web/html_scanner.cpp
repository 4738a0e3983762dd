#include "common/web/html_scanner.h"

#include "common/text/ascii.h"
#include "common/text/byte_set.h"
#include "common/web/foreign_elements.h"
#include "common/web/html_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <utility>

namespace common {
namespace {

constexpr ByteSet ends_name = byte_set_of(" \n\t\r\f/>=");
constexpr ByteSet ends_unquoted = byte_set_of(" \n\t\r\f>");

/// Elements whose content is text up to their end tag. (noscript isn't one for us: we run
/// no scripts.)
bool holds_raw_text(std::string_view name) {
    switch (to_lower(name[0])) {
    case 't': return is_one_of(name, {"title", "textarea"});
    case 's': return is_named(name, "style");
    case 'x': return is_named(name, "xmp");
    case 'i': return is_named(name, "iframe");
    case 'n': return is_one_of(name, {"noembed", "noframes"});
    default: return false;
    }
}

/// For each length of a name, the first letters that names of some kind have, as bits.
/// Most tags are none of them, and this tells so quickly.
using FirstLetters = std::array<std::uint32_t, 10>;
constexpr FirstLetters first_letters(const std::array<std::string_view, 10>& by_length) {
    FirstLetters result{};
    for (std::size_t length = 0; length < by_length.size(); ++length)
        for (const char c : by_length.at(length))
            result.at(length) |= 1U << static_cast<unsigned>(c - 'a');
    return result;
}
constexpr FirstLetters of_links =
    first_letters({"", "a", "", "", "abm", "f", "i", "", "ft"});
constexpr FirstLetters of_assets =
    first_letters({"", "a", "", "is", "abmlf", "faeistv", "bios", "", "ft"});
/// Elements that `enter` must know about: svg, xmp, math, style, template, and so on.
constexpr FirstLetters of_contents =
    first_letters({"", "", "", "sx", "m", "st", "si", "n", "tn", "p"});
constexpr FirstLetters either(const FirstLetters& a, const FirstLetters& b) {
    FirstLetters result{};
    std::ranges::transform(a, b, result.begin(), std::bit_or<>());
    return result;
}
constexpr FirstLetters of_links_or_contents = either(of_links, of_contents);
constexpr FirstLetters of_assets_or_contents = either(of_assets, of_contents);

/// Of those that are worth a short way: "</blockquote>".
constexpr std::ptrdiff_t longest_plain_tag = 13;

/// False for nearly all names. `name` begins with a letter.
bool may_be_among(const FirstLetters& letters, std::string_view name) {
    return name.size() < letters.size()
           && (letters[name.size()] >> static_cast<unsigned>(to_lower(name[0]) - 'a')
               & 1U)
                  != 0;
}

} // namespace

// [next]
bool HtmlScanner::next(LinkTag& tag) {
    while (true) {
        pass_plain_tags();
        at_ = std::min(page_.find('<', at_), page_.size());
        if (at_ + 1 >= page_.size())
            return false;
        ++at_;
        if (at_markup(tag))
            return true;
    }
}

/// Behind a "<". True if it was the tag that is looked for.
bool HtmlScanner::at_markup(LinkTag& tag) {
    const char c = page_[at_];
    if (is_alpha(c))
        return at_start_tag(tag);
    if (c == '/')
        at_end_tag();
    else if (c == '!')
        at_declaration();
    else if (c == '?')
        skip_past(">");
    return false; // anything else is text: "1 < 2"
}
// [/next]

/// The short way over most of a page: text, and tags that are no more than a name, such
/// as <li> and </p>. Stops at the first "<" that may be anything else, for the long way.
void HtmlScanner::pass_plain_tags() {
    if (page_.empty() || !inside_.empty() || look_for_.slowly)
        return;
    const FirstLetters& that_matter =
        look_for_.assets ? of_assets_or_contents : of_links_or_contents;
    const char* const end = page_.data() + page_.size();
    const char* p = page_.data() + at_;
    while (true) {
        const auto left = static_cast<std::size_t>(end - p);
        const auto* const tag = static_cast<const char*>(std::memchr(p, '<', left));
        p = tag == nullptr ? end : tag;
        if (end - p < longest_plain_tag)
            break;
        const bool ends = p[1] == '/';
        const char* const name = p + (ends ? 2 : 1);
        const char* name_end = name;
        while (name_end != p + longest_plain_tag - 1 && !is_in(ends_tag_name, *name_end))
            ++name_end;
        if (*name_end != '>' || !is_alpha(*name))
            break;
        if (!ends && may_be_among(that_matter, {name, name_end}))
            break;
        p = name_end + 1;
    }
    at_ = static_cast<std::size_t>(p - page_.data());
}

/// It begins with a letter, which is here.
inline std::string_view HtmlScanner::read_tag_name() {
    const char* const begin = page_.data() + at_;
    const char* const end = page_.data() + page_.size();
    const char* p = begin + 1;
    while (p != end && !is_in(ends_tag_name, *p))
        ++p;
    const auto size = static_cast<std::size_t>(p - begin);
    at_ += size;
    return {begin, size};
}

/// Reads up to the tag's ">" and goes behind it. False if the page ends before that.
inline bool HtmlScanner::read_attributes(LinkTag* tag, bool& self_closing) {
    if (at_ < page_.size() && page_[at_] == '>') { // most tags have none
        ++at_;
        return true;
    }
    return read_some_attributes(tag, self_closing);
}

namespace {

/// True for a tag of SVG that matters although its element doesn't.
bool says_anything(const LinkTag& tag) {
    return is_there(tag.id) || is_there(tag.style) || is_there(tag.presentation);
}

} // namespace

/// Which element of SVG or MathML it is. Nothing if it doesn't matter.
std::optional<LinkElement> HtmlScanner::foreign_element(std::string_view name) const {
    if (inside_.back() == static_cast<char>(Inside::math))
        return is_named(name, "a") ? std::optional(LinkElement::a) : std::nullopt;
    const LinkElement element = svg_element(name, true);
    if (element == LinkElement::svg_a || look_for_.assets || look_for_.ids)
        return element;
    return {};
}

bool HtmlScanner::at_start_tag(LinkTag& tag) {
    const std::string_view name = read_tag_name();
    std::optional<LinkElement> element;
    if (!inside_.empty() && in_foreign_content() && !breaks_out(name))
        element = foreign_element(name);
    else if (may_be_among(look_for_.assets ? of_assets : of_links, name))
        element = link_element(name, look_for_.assets);
    if (!element && (look_for_.assets || look_for_.ids))
        element = LinkElement::other;
    bool self_closing = false;
    if (element == LinkElement::other) {
        tag.element = LinkElement::other; // the most common one: no more than it needs
        tag.id = tag.style = tag.background = {};
    } else if (element) {
        tag = LinkTag{.element = *element};
        if (is_of_svg(*element))
            presentation_.clear();
    }
    if (!read_attributes(element ? &tag : nullptr, self_closing))
        return false; // the page ends inside the tag: it is none

    const std::size_t content = at_;
    if (look_for_.places) {
        const char* const begin = name.data() - 1;
        tag.written = {begin, static_cast<std::size_t>(page_.data() + content - begin)};
    }
    if (element && is_of_svg(*element))
        finish_svg(tag);
    if (!inside_.empty() || may_be_among(of_contents, name))
        enter(name, tag, self_closing);
    if (element == LinkElement::style)
        tag.text = page_.substr(content, at_ - content);
    if (element != LinkElement::other)
        return element && (element != LinkElement::svg_other || says_anything(tag));
    if (is_there(tag.background) && !has_background(name))
        tag.background = {};
    return (look_for_.ids && is_there(tag.id))
           || (look_for_.assets && (is_there(tag.style) || is_there(tag.background)));
}

/// What a tag of SVG has besides the attributes that stand for themselves.
void HtmlScanner::finish_svg(LinkTag& tag) {
    tag.presentation = presentation_.css();
    if (tag.element == LinkElement::svg_style)
        tag.text = style_in_svg();
}

/// What follows a start tag may be no markup: then it is skipped.
void HtmlScanner::enter(std::string_view name, const LinkTag& tag, bool self_closing) {
    if (in_foreign_content()) {
        enter_in_foreign_content(name, self_closing);
        return;
    }
    if (is_named(name, "svg") && !self_closing)
        inside_ += static_cast<char>(Inside::svg);
    else if (is_named(name, "math") && !self_closing)
        inside_ += static_cast<char>(Inside::math);
    else if (is_named(name, "script"))
        skip_script();
    else if (is_named(name, "plaintext"))
        at_ = page_.size();
    else if (is_named(name, "template"))
        enter_template(tag);
    else if (holds_raw_text(name))
        skip_raw_text(name);
}

void HtmlScanner::enter_in_foreign_content(std::string_view name, bool self_closing) {
    const bool in_svg = inside_.back() == static_cast<char>(Inside::svg);
    if (breaks_out(name))
        leave_foreign_content();
    else if (self_closing)
        return;
    else if (const auto html = html_in_foreign_content(name, in_svg))
        inside_ += static_cast<char>(*html);
    else if (is_named(name, "a"))
        ++foreign_links_;
    else if (is_named(name, "svg"))
        inside_ += static_cast<char>(Inside::svg);
    else if (is_named(name, "math"))
        inside_ += static_cast<char>(Inside::math);
}

/// The content of a template isn't part of the page: a script may copy it from there, and
/// fill in what is missing. It's read all the same, because it may hold scripts, comments
/// and further templates; but nobody gets its tags.
void HtmlScanner::enter_template(const LinkTag& tag) {
    inside_ += static_cast<char>(Inside::template_element);
    ++templates_;
    if (is_inert_ || is_shadow_root(tag))
        return;
    is_inert_ = true;
    const std::size_t before = templates_ - 1;
    LinkTag ignored;
    while (templates_ > before) {
        at_ = std::min(page_.find('<', at_), page_.size());
        if (at_ + 1 >= page_.size())
            break;
        ++at_;
        at_markup(ignored);
    }
    is_inert_ = false;
}

bool HtmlScanner::in_foreign_content() const {
    return !inside_.empty()
           && (inside_.back() == static_cast<char>(Inside::svg)
               || inside_.back() == static_cast<char>(Inside::math));
}

/// Inside SVG and MathML, some elements hold HTML again.
std::optional<HtmlScanner::Inside>
HtmlScanner::html_in_foreign_content(std::string_view name, bool in_svg) {
    if (!in_svg)
        return is_of_math_with_text(name) ? std::optional(Inside::text_of_math)
                                          : std::nullopt;
    if (is_named(name, "title"))
        return Inside::title;
    if (is_named(name, "desc"))
        return Inside::desc;
    return is_named(name, "foreignobject") ? std::optional(Inside::foreign_object)
                                           : std::nullopt;
}

/// To the HTML around it, or to HTML inside it that this is in.
void HtmlScanner::leave_foreign_content() {
    while (in_foreign_content())
        inside_.pop_back();
    foreign_links_ = 0;
}

void HtmlScanner::leave(std::string_view name) {
    if (templates_ > 0 && is_named(name, "template")) { // whatever is open inside it
        --templates_;
        inside_.resize(inside_.rfind(static_cast<char>(Inside::template_element)));
        return;
    }
    bool matches = false;
    switch (static_cast<Inside>(inside_.back())) {
    case Inside::svg: matches = is_named(name, "svg"); break;
    case Inside::math: matches = is_named(name, "math"); break;
    case Inside::title: matches = is_named(name, "title"); break;
    case Inside::desc: matches = is_named(name, "desc"); break;
    case Inside::foreign_object: matches = is_named(name, "foreignobject"); break;
    case Inside::text_of_math: matches = is_of_math_with_text(name); break;
    case Inside::template_element: return;
    }
    if (matches)
        inside_.pop_back();
    else if (in_foreign_content() && is_named(name, "a") && foreign_links_ > 0)
        --foreign_links_;
    else if (in_foreign_content()
             && (is_named(name, "a") || breaks_out(name) || is_only_of_html(name)))
        leave_foreign_content(); // what it ends can only be around the SVG
}

void HtmlScanner::at_end_tag() {
    ++at_; // the slash
    if (at_ >= page_.size())
        return;
    if (!is_alpha(page_[at_])) {
        skip_past(">"); // "</>", or a bogus comment
        return;
    }
    const std::string_view name = read_tag_name();
    bool ignored = false;
    if (read_attributes(nullptr, ignored) && !inside_.empty())
        leave(name);
}

void HtmlScanner::at_declaration() {
    const std::string_view rest = page_.substr(at_);
    if (rest.starts_with("!--")) {
        at_ += 3;
        skip_comment();
    } else if (rest.starts_with("![CDATA[") && in_foreign_content()) {
        skip_past("]]>");
    } else {
        skip_past(">"); // a document type, or a bogus comment
    }
}

namespace {

/// Reads the value behind an "=", and goes behind it. False if the page ends before that.
bool read_value(const char*& p, const char* const end, std::string_view& result) {
    while (p != end && is_blank(*p))
        ++p;
    if (p == end)
        return false;
    const char* value = nullptr;
    const char* value_end = nullptr;
    // [value]
    if (*p == '"' || *p == '\'') {
        value = p + 1;
        value_end = static_cast<const char*>(
            std::memchr(value, *p, static_cast<std::size_t>(end - value)));
        if (value_end == nullptr)
            return false;
        p = value_end + 1;
    } else {
        value = p;
        while (p != end && !is_in(ends_unquoted, *p))
            ++p;
        value_end = p;
    }
    // [/value]
    result = {value, static_cast<std::size_t>(value_end - value)};
    return true;
}

} // namespace

/// Puts a value where it belongs in the tag, if it's wanted there.
void HtmlScanner::take_attribute(LinkTag& tag, std::string_view name,
                                 std::string_view value) {
    std::string_view* wanted = nullptr;
    if (tag.element != LinkElement::other)
        wanted = tag.place_of(name);
    else if (name.size() == 2 && is_named(name, "id"))
        wanted = &tag.id;
    else if (name.size() == 5 && is_named(name, "style"))
        wanted = &tag.style;
    else if (name.size() == 10 && is_named(name, "background"))
        wanted = &tag.background;
    if (wanted == nullptr) {
        if (is_of_svg(tag.element))
            presentation_.add(name, value);
    } else if (!is_there(*wanted)) { // of several, the first one counts
        *wanted = value;
    }
}

bool HtmlScanner::read_some_attributes(LinkTag* tag, bool& self_closing) {
    const char* const begin = page_.data();
    const char* const end = begin + page_.size();
    const char* p = begin + at_;
    at_ = page_.size();
    while (true) {
        self_closing = false;
        while (p != end && (is_blank(*p) || *p == '/')) {
            self_closing = *p == '/';
            ++p;
        }
        if (p == end)
            return false;
        if (*p == '>') {
            at_ = static_cast<std::size_t>(p + 1 - begin);
            return true;
        }
        // The name: its first character may be anything, even "=".
        const char* const name_begin = p++;
        while (p != end && !is_in(ends_name, *p))
            ++p;
        const std::string_view name(name_begin, static_cast<std::size_t>(p - name_begin));
        while (p != end && is_blank(*p))
            ++p;
        std::string_view value = name.substr(0, 0); // it's there, and empty
        if (p != end && *p == '=') {
            ++p;
            if (!read_value(p, end, value))
                return false;
        }
        if (tag != nullptr)
            take_attribute(*tag, name, value);
    }
}

} // namespace common
