#include "common/web/html_links.h"

#include "common/web/html_scanner.h"

#include <array>
#include <cstddef>
#include <string>

namespace common {
namespace {

/// Those of any element come first, then those of `a`, then those of the elements up to
/// `meta`.
constexpr std::size_t values_of_others = 3;
constexpr std::size_t values_of_a = 5;
constexpr std::size_t values_of_links = 8;
constexpr std::array values_of_tags{
    &LinkTag::id,          &LinkTag::style, &LinkTag::background,  &LinkTag::href,
    &LinkTag::name,        &LinkTag::src,   &LinkTag::http_equiv,  &LinkTag::content,
    &LinkTag::action,      &LinkTag::data,  &LinkTag::imagesrcset, &LinkTag::method,
    &LinkTag::poster,      &LinkTag::rel,   &LinkTag::srcset,      &LinkTag::xlink_href,
    &LinkTag::presentation};

std::size_t count_values(LinkElement element) {
    if (element == LinkElement::other)
        return values_of_others;
    if (element == LinkElement::a)
        return values_of_a;
    return element <= LinkElement::meta ? values_of_links : values_of_tags.size();
}

} // namespace

void collect_from_html(std::string_view page, LinkCollector& collector) {
    HtmlScanner scanner(page, collector.look_for());
    LinkTag tag;
    std::array<std::string, values_of_tags.size()> storage;
    std::string style;
    LinkTag written;
    const bool wants_places = collector.places().are_wanted();
    if (wants_places && !collector.is_in_part())
        collector.places().are_in(page);
    while (scanner.next(tag)) {
        if (wants_places) {
            written = tag;
            collector.places().are_of(tag, written, scanner.rest());
        }
        if (tag.element == LinkElement::svg_style)
            tag.text = decoded(tag.text, style); // it's no raw text there
        const std::size_t values = count_values(tag.element);
        for (std::size_t i = 0; i < values; ++i)
            if (is_there(tag.*values_of_tags.at(i)))
                tag.*values_of_tags.at(i) =
                    decoded(tag.*values_of_tags.at(i), storage.at(i));
        collector.add(tag);
        if (tag.element == LinkElement::iframe && is_there(tag.srcdoc))
            collect_from_srcdoc(decoded(tag.srcdoc, storage.front()), collector);
    }
    collector.places().forget_tag();
}

void collect_from_srcdoc(std::string_view document, LinkCollector& collector) {
    if (!collector.enter_part(LinkCollector::Part::document, document.size()))
        return;
    collect_from_html(document, collector);
    collector.leave_part();
}

} // namespace common
