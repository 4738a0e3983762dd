#include "common/web/html_scanner.h"

#include "common/text/ascii.h"
#include "common/text/byte_set.h"
#include "common/web/html_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace common {
namespace {

constexpr ByteSet ends_name = byte_set_of(" \n\t\r\f/>=");
constexpr ByteSet ends_tag_name = byte_set_of(" \n\t\r\f/>");
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

/// Tags that end SVG and MathML, wherever they are: they are so surely HTML.
bool breaks_out(std::string_view name) {
    return is_one_of(name, {"b",       "big",  "blockquote", "body",  "br",   "center",
                            "code",    "dd",   "div",        "dl",    "dt",   "em",
                            "embed",   "h1",   "h2",         "h3",    "h4",   "h5",
                            "h6",      "head", "hr",         "i",     "img",  "li",
                            "listing", "menu", "meta",       "nobr",  "ol",   "p",
                            "pre",     "ruby", "s",          "small", "span", "strong",
                            "strike",  "sub",  "sup",        "table", "tt",   "u",
                            "ul",      "var"});
}

/// Inside SVG and MathML, these elements hold HTML again.
bool holds_html_again(std::string_view name, bool in_svg) {
    return in_svg ? is_one_of(name, {"foreignobject", "desc", "title"})
                  : is_one_of(name, {"mi", "mo", "mn", "ms", "mtext", "annotation-xml"});
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
constexpr FirstLetters of_links = first_letters({"", "a", "", "", "abm", "f", "i"});
constexpr FirstLetters of_assets =
    first_letters({"", "a", "", "i", "abmlf", "faeistv", "ios"});
/// Elements that `enter` must know about: svg, xmp, math, style, title, and so on.
constexpr FirstLetters of_contents =
    first_letters({"", "", "", "sx", "m", "st", "si", "n", "tn", "p"});
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

bool HtmlScanner::at_start_tag(LinkTag& tag) {
    const std::string_view name = read_tag_name();
    std::optional<LinkElement> element;
    if (may_be_among(look_for_.assets ? of_assets : of_links, name))
        element = link_element(name, look_for_.assets);
    if (!element && (look_for_.assets || look_for_.ids))
        element = LinkElement::other;
    bool self_closing = false;
    if (element == LinkElement::other) {
        tag.element = LinkElement::other; // the most common one: no more than it needs
        tag.id = tag.style = {};
    } else if (element) {
        tag = LinkTag{.element = *element};
    }
    if (!read_attributes(element ? &tag : nullptr, self_closing))
        return false; // the page ends inside the tag: it is none

    const std::size_t content = at_;
    if (!inside_.empty() || may_be_among(of_contents, name))
        enter(name, self_closing);
    if (element == LinkElement::style)
        tag.text = page_.substr(content, at_ - content);
    if (element != LinkElement::other)
        return element.has_value();
    return (look_for_.ids && is_there(tag.id))
           || (look_for_.assets && is_there(tag.style));
}

/// What follows a start tag may be no markup: then it is skipped.
void HtmlScanner::enter(std::string_view name, bool self_closing) {
    if (in_foreign_content()) {
        const bool in_svg = inside_.back() == static_cast<char>(Inside::svg);
        if (breaks_out(name))
            inside_.clear();
        else if (self_closing)
            return;
        else if (holds_html_again(name, in_svg))
            inside_ += static_cast<char>(Inside::html_again);
        else if (is_named(name, "svg"))
            inside_ += static_cast<char>(Inside::svg);
        else if (is_named(name, "math"))
            inside_ += static_cast<char>(Inside::math);
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
    else if (holds_raw_text(name))
        skip_raw_text(name);
}

bool HtmlScanner::in_foreign_content() const {
    return !inside_.empty() && inside_.back() != static_cast<char>(Inside::html_again);
}

void HtmlScanner::leave(std::string_view name) {
    const auto top = static_cast<Inside>(inside_.back());
    bool matches = holds_html_again(name, true) || holds_html_again(name, false);
    if (top == Inside::svg)
        matches = is_named(name, "svg");
    else if (top == Inside::math)
        matches = is_named(name, "math");
    if (matches)
        inside_.pop_back();
    else if (is_one_of(name, {"p", "br"}) && in_foreign_content())
        inside_.clear();
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

/// Behind "<!--". "<!-->" and "<!--->" are comments, too, and "--!>" ends one.
void HtmlScanner::skip_comment() {
    const std::string_view rest = page_.substr(at_);
    if (rest.starts_with('>') || rest.starts_with("->")) {
        skip_past(">");
        return;
    }
    while (true) {
        skip_past("--");
        const std::string_view end = page_.substr(at_);
        if (end.empty())
            return;
        if (end.starts_with('>') || end.starts_with("!>")) {
            skip_past(">");
            return;
        }
        --at_; // "--->": the second dash may be the first of the end
    }
}

void HtmlScanner::skip_past(std::string_view text) {
    const auto found = page_.find(text, at_);
    at_ = found == std::string_view::npos ? page_.size() : found + text.size();
}

/// True if an end tag of that name stands at a place that holds "<".
bool HtmlScanner::closes(std::size_t at, std::string_view name) const {
    const std::string_view rest = page_.substr(at);
    return rest.size() > name.size() + 2 && rest[1] == '/'
           && equal_ignoring_case(rest.substr(2, name.size()), name)
           && is_in(ends_tag_name, rest[name.size() + 2]);
}

/// Stops in front of the end tag of that name.
void HtmlScanner::skip_raw_text(std::string_view name) {
    for (at_ = page_.find('<', at_); at_ != std::string_view::npos;
         at_ = page_.find('<', at_ + 1))
        if (closes(at_, name))
            return;
    at_ = page_.size();
}

/// A script may hold "<!--", from the days when browsers without scripts had to be told
/// to look away; and in there, "<script>" and "</script>" may stand as a pair.
void HtmlScanner::skip_script() {
    enum class State : std::uint8_t { plain, escaped, twice_escaped };
    State state = State::plain;
    for (; at_ < page_.size(); ++at_) {
        if (state == State::plain) {
            at_ = std::min(page_.find('<', at_), page_.size());
            if (at_ == page_.size())
                return;
        }
        const std::string_view rest = page_.substr(at_);
        if (rest[0] == '-' && state != State::plain) {
            if (rest.starts_with("-->"))
                state = State::plain;
        } else if (rest[0] != '<') {
            continue;
        } else if (closes(at_, "script")) {
            if (state != State::twice_escaped)
                return;
            state = State::escaped;
        } else if (state == State::plain && rest.starts_with("<!--")) {
            state = State::escaped;
            at_ += 1; // so that the dashes can be those of "-->" as well: "<!-->"
        } else if (state == State::escaped && rest.size() > 7
                   && equal_ignoring_case(rest.substr(1, 6), "script")
                   && is_in(ends_tag_name, rest[7])) {
            state = State::twice_escaped;
        }
    }
}

std::string_view HtmlScanner::read_tag_name() {
    const std::size_t begin = at_;
    while (at_ < page_.size() && !is_in(ends_tag_name, page_[at_]))
        ++at_;
    return page_.substr(begin, at_ - begin);
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

/// Puts a value where it belongs in the tag, if it's wanted there.
void take_attribute(LinkTag& tag, std::string_view name, std::string_view value) {
    std::string_view* wanted = nullptr;
    if (tag.element != LinkElement::other)
        wanted = tag.place_of(name);
    else if (name.size() == 2 && is_named(name, "id"))
        wanted = &tag.id;
    else if (name.size() == 5 && is_named(name, "style"))
        wanted = &tag.style;
    if (wanted != nullptr && !is_there(*wanted)) // of several, the first one counts
        *wanted = value;
}

} // namespace

/// Reads up to the tag's ">" and goes behind it. False if the page ends before that.
bool HtmlScanner::read_attributes(LinkTag* tag, bool& self_closing) {
    if (at_ < page_.size() && page_[at_] == '>') { // as in most tags
        ++at_;
        return true;
    }
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
