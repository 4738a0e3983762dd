#include "common/web/html_scanner.h"

#include "common/text/ascii.h"
#include "common/text/byte_set.h"
#include "common/web/character_names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace common {
namespace {

constexpr bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

constexpr ByteSet ends_name = byte_set_of(" \n\t\r\f/>=");
constexpr ByteSet ends_tag_name = byte_set_of(" \n\t\r\f/>");
constexpr ByteSet ends_unquoted = byte_set_of(" \n\t\r\f>");

/// True if `text` is `small`, which is in lower case.
bool is_named(std::string_view text, std::string_view small) {
    return text.size() == small.size() && std::ranges::equal(text, small, {}, to_lower);
}
bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](auto name) { return is_named(text, name); });
}

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

std::optional<LinkElement> link_element(std::string_view name, bool more) {
    using Element = LinkElement;
    const auto if_named = [&](std::string_view small, Element element) {
        return is_named(name, small) ? std::optional(element) : std::nullopt;
    };
    const char first = name.empty() ? '\0' : to_lower(name[0]);
    switch (name.size()) {
    case 1: return if_named("a", Element::a);
    case 3: return more ? if_named("img", Element::img) : std::nullopt;
    case 4:
        if (first == 'a')
            return if_named("area", Element::area);
        if (first == 'b')
            return if_named("base", Element::base);
        if (first == 'm')
            return if_named("meta", Element::meta);
        if (more)
            return first == 'l' ? if_named("link", Element::link)
                                : if_named("form", Element::form);
        break;
    case 5:
        if (first == 'f')
            return if_named("frame", Element::frame);
        if (!more)
            break;
        for (const auto& [small, element] :
             {std::pair("audio", Element::audio), std::pair("embed", Element::embed),
              std::pair("input", Element::input), std::pair("style", Element::style),
              std::pair("track", Element::track), std::pair("video", Element::video)})
            if (is_named(name, small))
                return element;
        break;
    case 6:
        if (first == 'i')
            return if_named("iframe", Element::iframe);
        if (!more)
            break;
        for (const auto& [small, element] :
             {std::pair("object", Element::object), std::pair("script", Element::script),
              std::pair("source", Element::source)})
            if (is_named(name, small))
                return element;
        break;
    default: break;
    }
    return std::nullopt;
}

std::string_view* LinkTag::place_of(std::string_view attribute) {
    const auto if_named = [&](std::string_view small, std::string_view& place) {
        return is_named(attribute, small) ? &place : nullptr;
    };
    const char first = attribute.empty() ? '\0' : to_lower(attribute[0]);
    switch (attribute.size()) {
    case 2: return if_named("id", id);
    case 3: return first == 's' ? if_named("src", src) : if_named("rel", rel);
    case 4:
        if (first == 'h')
            return if_named("href", href);
        return first == 'n' ? if_named("name", name) : if_named("data", data);
    case 5: return if_named("style", style);
    case 6:
        if (first == 's')
            return if_named("srcset", srcset);
        if (first == 'm')
            return if_named("method", method);
        return first == 'a' ? if_named("action", action) : if_named("poster", poster);
    case 7:
        return to_lower(attribute[1]) == 'o' ? if_named("content", content)
                                             : if_named("charset", charset);
    case 10: return if_named("http-equiv", http_equiv);
    case 11: return if_named("imagesrcset", imagesrcset);
    default: return nullptr;
    }
}

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
        const char* const name = p++;
        while (p != end && !is_in(ends_name, *p))
            ++p;
        const char* const name_end = p;
        while (p != end && is_blank(*p))
            ++p;
        const char* value = name;
        const char* value_end = name;
        if (p != end && *p == '=') {
            ++p;
            while (p != end && is_blank(*p))
                ++p;
            if (p == end)
                return false;
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
        }
        if (tag == nullptr)
            continue;
        const std::string_view attribute(name, static_cast<std::size_t>(name_end - name));
        std::string_view* wanted = nullptr;
        if (tag->element != LinkElement::other)
            wanted = tag->place_of(attribute);
        else if (attribute.size() == 2 && is_named(attribute, "id"))
            wanted = &tag->id;
        else if (attribute.size() == 5 && is_named(attribute, "style"))
            wanted = &tag->style;
        if (wanted != nullptr && !is_there(*wanted)) // of several, the first one counts
            *wanted = {value, static_cast<std::size_t>(value_end - value)};
    }
}

// ---- Character references
// ---------------------------------------------------------------

void append_utf8(std::string& result, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { result += static_cast<char>(bits); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0U | code >> 6U);
        byte(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        byte(0xe0U | code >> 12U);
        byte(0x80U | (code >> 6U & 0x3fU));
        byte(0x80U | (code & 0x3fU));
    } else {
        byte(0xf0U | code >> 18U);
        byte(0x80U | (code >> 12U & 0x3fU));
        byte(0x80U | (code >> 6U & 0x3fU));
        byte(0x80U | (code & 0x3fU));
    }
}

namespace {

/// The numeric character reference end state: some numbers mean something else than they
/// say.
std::uint32_t meant_by(std::uint32_t number) {
    constexpr std::array<std::uint16_t, 32> windows_1252{
        0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
        0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
        0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
        0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
    if (number >= 0x80 && number < 0xa0)
        return windows_1252.at(number - 0x80);
    const bool surrogate = number >= 0xd800 && number < 0xe000;
    return number == 0 || number > 0x10ffff || surrogate ? 0xfffd : number;
}

/// Reads "#65;" or "#x41;" behind an ampersand. Returns how much it has read; 0 if it is
/// no reference.
std::size_t numeric_reference(std::string_view text, std::string& result) {
    const bool hexadecimal = text.size() > 1 && to_lower(text[1]) == 'x';
    const std::size_t first = hexadecimal ? 2 : 1;
    std::size_t at = first;
    std::uint32_t number = 0;
    for (; at < text.size(); ++at) {
        const char c = to_lower(text[at]);
        const bool letter = hexadecimal && c >= 'a' && c <= 'f';
        if (!is_digit(c) && !letter)
            break;
        const auto digit = static_cast<std::uint32_t>(letter ? c - 'a' + 10 : c - '0');
        number = std::min(number * (hexadecimal ? 16U : 10U) + digit, 0x110000U);
    }
    if (at == first)
        return 0;
    append_utf8(result, meant_by(number));
    return at < text.size() && text[at] == ';' ? at + 1 : at;
}

/// Reads "amp;" behind an ampersand. Returns how much it has read; 0 if it is no
/// reference. The standard takes the longest name that fits, and then, if a letter or
/// digit is next, takes it for text. So only a name that ends where they end will do.
std::size_t named_reference(std::string_view text, std::string& result) {
    const auto* const end =
        std::ranges::find_if_not(text, [](char c) { return is_alpha(c) || is_digit(c); });
    const std::string_view name(text.begin(), end);
    const bool closed = end != text.end() && *end == ';';
    if (end != text.end() && *end == '=') // "?a=1&copy=2" is meant as it stands
        return 0;
    const auto [characters, needs_semicolon] = character_name(name);
    if (characters.empty() || (needs_semicolon && !closed))
        return 0;
    result += characters;
    return name.size() + (closed ? 1 : 0);
}

} // namespace

std::string_view decoded(std::string_view value, std::string& storage) {
    if (value.find('&') == std::string_view::npos
        && value.find('\0') == std::string_view::npos)
        return value;
    storage.clear();
    while (true) {
        const auto* const special =
            std::ranges::find_if(value, [](char c) { return c == '&' || c == '\0'; });
        storage.append(value.begin(), special);
        if (special == value.end())
            return storage;
        const bool zero = *special == '\0';
        value = {special + 1, value.end()};
        if (zero) {
            append_utf8(storage, 0xfffd);
            continue;
        }
        const std::size_t read = value.starts_with('#')
                                     ? numeric_reference(value, storage)
                                     : named_reference(value, storage);
        if (read == 0)
            storage += '&';
        value.remove_prefix(read);
    }
}

std::string_view refresh_target(std::string_view content) {
    const auto skip = [&](auto predicate) {
        const auto* end = std::ranges::find_if_not(content, predicate);
        const auto count = static_cast<std::size_t>(end - content.begin());
        content.remove_prefix(count);
        return count;
    };
    skip(is_blank);
    // The seconds; what is behind their point doesn't count.
    if (skip([](char c) { return is_digit(c) || c == '.'; }) == 0)
        return {};
    if (content.empty()
        || (content[0] != ';' && content[0] != ',' && !is_blank(content[0])))
        return {};
    skip(is_blank);
    if (content.starts_with(';') || content.starts_with(','))
        content.remove_prefix(1);
    skip(is_blank);
    if (content.size() > 3 && equal_ignoring_case(content.substr(0, 3), "url")) {
        const std::string_view whole = content;
        content.remove_prefix(3);
        skip(is_blank);
        if (content.starts_with('=')) {
            content.remove_prefix(1);
            skip(is_blank);
        } else {
            content = whole; // it only looked like "url="
        }
    }
    if (content.starts_with('"') || content.starts_with('\'')) {
        const char quote = content[0];
        content.remove_prefix(1);
        content = content.substr(0, content.find(quote));
    }
    return content;
}

} // namespace common
