// What in a page is no markup: comments, scripts, and other texts up to their end.
#include "common/text/ascii.h"
#include "common/web/html_scanner.h"
#include "common/web/html_text.h"

#include <algorithm>
#include <cstdint>

namespace common {

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

/// In SVG, the content of a style element is no raw text: a tag in it is a tag, so the
/// style sheet ends there. It's often in a CDATA section, as XML would need it.
std::string_view HtmlScanner::style_in_svg() const {
    const std::string_view rest = page_.substr(at_);
    const std::size_t end = std::min(rest.find('<'), rest.size());
    if (!rest.substr(end).starts_with("<![CDATA["))
        return rest.substr(0, end);
    return rest.substr(0, rest.find("]]>", end));
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

} // namespace common
