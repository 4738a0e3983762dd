// Which elements' names say that HTML begins again, inside SVG and MathML or after them.
//
// For the scanner of HTML, which asks this of every tag inside SVG.
// Source: WHATWG HTML, "The rules for parsing tokens in foreign content"
#pragma once

#include "common/web/html_text.h"

#include <string_view>

namespace common {

/// Tags that end SVG and MathML, wherever they are: they are so surely HTML.
inline bool breaks_out(std::string_view name) {
    return is_one_of(name, {"b",       "big",  "blockquote", "body",  "br",   "center",
                            "code",    "dd",   "div",        "dl",    "dt",   "em",
                            "embed",   "h1",   "h2",         "h3",    "h4",   "h5",
                            "h6",      "head", "hr",         "i",     "img",  "li",
                            "listing", "menu", "meta",       "nobr",  "ol",   "p",
                            "pre",     "ruby", "s",          "small", "span", "strong",
                            "strike",  "sub",  "sup",        "table", "tt",   "u",
                            "ul",      "var"});
}

/// The ends of elements that only HTML has: in SVG and MathML, such an element can only
/// be around these, so that it ends them, too.
inline bool is_only_of_html(std::string_view name) {
    return is_one_of(name,
                     {"article",  "aside",      "button", "caption", "details", "dialog",
                      "fieldset", "figcaption", "figure", "footer",  "form",    "header",
                      "hgroup",   "html",       "label",  "legend",  "main",    "nav",
                      "object",   "optgroup",   "option", "picture", "section", "select",
                      "summary",  "tbody",      "td",     "tfoot",   "th",      "thead",
                      "tr"});
}

/// In MathML, these hold text, and HTML in it.
inline bool is_of_math_with_text(std::string_view name) {
    return is_one_of(name, {"mi", "mo", "mn", "ms", "mtext", "annotation-xml"});
}

} // namespace common
