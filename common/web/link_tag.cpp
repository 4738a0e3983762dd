// Which elements and which of their attributes can carry a link: names to places. By
// their length and first letter, since most names are none of them.
#include "common/text/ascii.h"
#include "common/web/html_scanner.h"
#include "common/web/html_text.h"

#include <utility>

namespace common {

namespace {

std::optional<LinkElement> if_named(std::string_view name, std::string_view small,
                                    LinkElement element) {
    return is_named(name, small) ? std::optional(element) : std::nullopt;
}

/// One of the elements after `meta`.
std::optional<LinkElement> asset_element(std::string_view name) {
    using Element = LinkElement;
    switch (name.size()) {
    case 3:
        return to_lower(name[0]) == 's' ? if_named(name, "svg", Element::svg_other)
                                        : if_named(name, "img", Element::img);
    case 4:
        return to_lower(name[0]) == 'l' ? if_named(name, "link", Element::link)
                                        : if_named(name, "form", Element::form);
    case 5:
        for (const auto& [small, element] :
             {std::pair("audio", Element::audio), std::pair("embed", Element::embed),
              std::pair("input", Element::input), std::pair("image", Element::img),
              std::pair("style", Element::style), std::pair("track", Element::track),
              std::pair("video", Element::video)})
            if (is_named(name, small))
                return element;
        break;
    case 6:
        for (const auto& [small, element] :
             {std::pair("object", Element::object), std::pair("button", Element::button),
              std::pair("script", Element::script), std::pair("source", Element::source)})
            if (is_named(name, small))
                return element;
        break;
    default: break;
    }
    return std::nullopt;
}

} // namespace

std::optional<LinkElement> link_element(std::string_view name, bool more) {
    using Element = LinkElement;
    const char first = name.empty() ? '\0' : to_lower(name[0]);
    switch (name.size()) {
    case 1: return if_named(name, "a", Element::a);
    case 4:
        if (first == 'a')
            return if_named(name, "area", Element::area);
        if (first == 'b')
            return if_named(name, "base", Element::base);
        if (first == 'm')
            return if_named(name, "meta", Element::meta);
        break;
    case 5:
        if (first == 'f')
            return if_named(name, "frame", Element::frame);
        break;
    case 6:
        if (first == 'i')
            return if_named(name, "iframe", Element::iframe);
        break;
    case 8:
        return first == 'f' ? if_named(name, "frameset", Element::frameset)
                            : if_named(name, "template", Element::template_element);
    default: break;
    }
    return more ? asset_element(name) : std::nullopt;
}

bool is_shadow_root(const LinkTag& template_tag) {
    return is_one_of(template_tag.shadowrootmode, {"open", "closed"});
}

bool has_background(std::string_view name) {
    return is_one_of(name,
                     {"body", "table", "td", "th", "tr", "tbody", "thead", "tfoot"});
}

std::string_view* LinkTag::place_of(std::string_view attribute) {
    const auto if_named = [&](std::string_view small, std::string_view& place) {
        return is_named(attribute, small) ? &place : nullptr;
    };
    const char first = attribute.empty() ? '\0' : to_lower(attribute[0]);
    const bool submits = element == LinkElement::button || element == LinkElement::input;
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
            return to_lower(attribute[3]) == 's' ? if_named("srcset", srcset)
                                                 : if_named("srcdoc", srcdoc);
        if (first == 'm')
            return submits ? nullptr : if_named("method", method);
        if (first == 'a')
            return submits ? nullptr : if_named("action", action);
        return if_named("poster", poster);
    case 7:
        return to_lower(attribute[1]) == 'o' ? if_named("content", content)
                                             : if_named("charset", charset);
    case 10:
        if (first == 'f' && submits)
            return to_lower(attribute[4]) == 'a' ? if_named("formaction", action)
                                                 : if_named("formmethod", method);
        if (first == 'b')
            return if_named("background", background);
        return first == 'x' ? if_named("xlink:href", xlink_href)
                            : if_named("http-equiv", http_equiv);
    case 11: return if_named("imagesrcset", imagesrcset);
    case 14: return if_named("shadowrootmode", shadowrootmode);
    default: return nullptr;
    }
}

} // namespace common
