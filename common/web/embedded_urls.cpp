#include "common/web/embedded_urls.h"

#include "common/text/ascii.h"
#include "common/web/html_scanner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace common {
namespace {

constexpr bool is_newline(char c) { return c == '\n' || c == '\r' || c == '\f'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || is_newline(c); }
constexpr bool is_hex(char c) {
    return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'f');
}
/// What a name may consist of; beyond ASCII, anything.
constexpr bool is_of_name(char c) {
    return is_alpha(c) || is_digit(c) || c == '-' || c == '_'
           || static_cast<unsigned char>(c) >= 0x80;
}

/// A tokenizer that knows names, strings, URLs and comments. All else is one character.
class CssReader {
  public:
    CssReader(std::string_view css, const TakeCssUrl& take) : css_(css), take_(take) {}

    void read() {
        while (at_ < css_.size()) {
            const char c = css_[at_];
            if (begins("/*"))
                skip_comment();
            else if (c == '"' || c == '\'')
                read_string();
            else if (c == '@')
                at_keyword();
            else if (is_of_name(c) || begins_escape())
                at_name();
            else
                other(c);
        }
    }

  private:
    /// The rule that began with an @-keyword, until its end or its block.
    enum class Rule : std::uint8_t { none, import, name_space };

    bool begins(std::string_view text) const {
        return css_.substr(at_, text.size()) == text;
    }
    bool begins_escape() const {
        return css_[at_] == '\\' && at_ + 1 < css_.size() && !is_newline(css_[at_ + 1]);
    }

    void other(char c) {
        if (c == ';' || c == '{' || c == '}') {
            rule_ = Rule::none;
            depth_ = image_set_depth_ = 0;
        } else if (c == '(') {
            ++depth_;
        } else if (c == ')' && depth_ > 0) {
            if (depth_ == image_set_depth_)
                image_set_depth_ = 0;
            --depth_;
        }
        ++at_;
    }

    void skip_comment() {
        const auto end = css_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? css_.size() : end + 2;
    }

    void skip_blanks() {
        while (at_ < css_.size() && is_space(css_[at_]))
            ++at_;
    }

    /// At a backslash. Six hexadecimal digits and a blank at most, or a character.
    void read_escape() {
        ++at_;
        std::uint32_t code = 0;
        std::size_t digits = 0;
        for (; digits < 6 && at_ < css_.size() && is_hex(css_[at_]); ++digits) {
            const char c = to_lower(css_[at_++]);
            code = code * 16
                   + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : c - 'a' + 10);
        }
        if (digits == 0) {
            if (at_ < css_.size())
                text_ += css_[at_++];
            return;
        }
        const bool is_none =
            code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
        append_utf8(text_, is_none ? 0xfffd : code);
        if (begins("\r\n"))
            ++at_;
        if (at_ < css_.size() && is_space(css_[at_]))
            ++at_;
    }

    void read_name() {
        text_.clear();
        while (at_ < css_.size()) {
            if (begins_escape())
                read_escape();
            else if (is_of_name(css_[at_]))
                text_ += css_[at_++];
            else
                return;
        }
    }

    /// At a quote. False if the string is broken: then a newline ends it.
    bool read_quoted() {
        const char quote = css_[at_++];
        text_.clear();
        begin_ = at_;
        while (at_ < css_.size() && css_[at_] != quote) {
            const char c = css_[at_];
            if (is_newline(c))
                return false;
            if (c != '\\') {
                text_ += c;
                ++at_;
            } else if (begins_escape()) {
                read_escape();
            } else { // the line goes on, or the style sheet ends
                ++at_;
                at_ += begins("\r\n") ? 2 : 1;
            }
        }
        at_ = std::min(at_ + 1, css_.size());
        return true;
    }

    void read_string() {
        if (!read_quoted())
            return;
        if (rule_ == Rule::import) {
            rule_ = Rule::none; // what follows are conditions
            tell(true);
        } else if (depth_ > 0 && depth_ == image_set_depth_) {
            tell(false); // and not within type("image/png"), which is deeper
        }
    }

    void at_keyword() {
        ++at_;
        read_name();
        rule_ = Rule::none;
        if (equal_ignoring_case(text_, "import"))
            rule_ = Rule::import;
        else if (equal_ignoring_case(text_, "namespace"))
            rule_ = Rule::name_space;
    }

    void at_name() {
        read_name();
        if (at_ >= css_.size() || css_[at_] != '(')
            return;
        if (image_set_depth_ == 0
            && (equal_ignoring_case(text_, "image-set")
                || equal_ignoring_case(text_, "-webkit-image-set")))
            image_set_depth_ = depth_ + 1; // `other` takes the parenthesis
        if (!equal_ignoring_case(text_, "url"))
            return;
        ++at_;
        skip_blanks();
        const char c = at_ < css_.size() ? css_[at_] : ')';
        const bool is_whole = c == '"' || c == '\'' ? read_quoted() : read_bare_url();
        const Rule rule = rule_;
        if (rule == Rule::import)
            rule_ = Rule::none;
        if (is_whole && rule != Rule::name_space)
            tell(rule == Rule::import);
    }

    /// Up to the parenthesis. False if there's anything that such a URL can't have.
    bool read_bare_url() {
        text_.clear();
        begin_ = at_;
        bool is_good = true;
        while (at_ < css_.size() && css_[at_] != ')') {
            const char c = css_[at_];
            if (begins_escape()) {
                read_escape();
                continue;
            }
            ++at_;
            if (is_space(c)) {
                skip_blanks();
                is_good = is_good && (at_ >= css_.size() || css_[at_] == ')');
            } else if (c == '"' || c == '\'' || c == '(' || c == '\\'
                       || static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
                is_good = false;
            } else {
                text_ += c;
            }
        }
        at_ = std::min(at_ + 1, css_.size());
        return is_good;
    }

    /// If nothing was escaped, it's a part of the style sheet.
    void tell(bool is_import) {
        if (text_.empty() || text_[0] == '#')
            return;
        const std::string_view written = css_.substr(begin_, text_.size());
        take_(written == text_ ? written : std::string_view(text_), is_import);
    }

    const std::string_view css_;
    const TakeCssUrl& take_;
    std::size_t at_ = 0;
    std::string text_;      // of the last name, string or URL
    std::size_t begin_ = 0; // of the last string or URL
    Rule rule_ = Rule::none;
    std::size_t depth_ = 0; // of parentheses, but not those of url()
    // Within image-set(), a string is a URL if it's at this depth. 0: not within one.
    std::size_t image_set_depth_ = 0;
};

} // namespace

void find_css_urls(std::string_view css, const TakeCssUrl& take) {
    CssReader(css, take).read();
}

void find_srcset_urls(std::string_view srcset,
                      const std::function<void(std::string_view)>& take) {
    std::size_t at = 0;
    const auto skip = [&](auto predicate) {
        while (at < srcset.size() && predicate(srcset[at]))
            ++at;
    };
    while (true) {
        skip([](char c) { return is_space(c) || c == ','; });
        const std::size_t begin = at;
        skip([](char c) { return !is_space(c); });
        std::string_view url = srcset.substr(begin, at - begin);
        if (url.empty())
            return;
        if (!url.ends_with(',')) { // its width or density, which may have parentheses
            bool in_parentheses = false;
            skip([&](char c) {
                if (c == '(' || c == ')')
                    in_parentheses = c == '(';
                return c != ',' || in_parentheses;
            });
        }
        url = url.substr(0, url.find_last_not_of(',') + 1);
        take(url);
    }
}

} // namespace common
