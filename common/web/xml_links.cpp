#include "common/web/xml_links.h"

#include "common/text/ascii.h"
#include "common/web/html_scanner.h"
#include "common/web/xml_parser.h"

#include <libxml/parser.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace common {
namespace {

/// What libxml2 hands back to the functions below.
struct XmlReader {
    LinkCollector& collector;
    xmlParserCtxt* parser = nullptr;
    int declared_attributes = 0;
    int depth = 0;          // of elements
    int inert_template = 0; // the depth of the template that all this is in. 0: none
};

constexpr std::string_view html_namespace = "http://www.w3.org/1999/xhtml";

std::string_view text_of(const xmlChar* text) {
    return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// libxml2 calls this for each start tag. An attribute takes five places: name, prefix,
/// namespace, and where its value begins and ends.
void start_element(void* context, const xmlChar* name, const xmlChar* /*prefix*/,
                   const xmlChar* uri, int /*namespaces*/,
                   const xmlChar** /*namespace_list*/, int attributes, int /*defaulted*/,
                   const xmlChar** list) {
    const auto text = [](const xmlChar* begin) {
        return reinterpret_cast<const char*>(begin);
    };
    XmlReader& reader = *static_cast<XmlReader*>(context);
    ++reader.depth;
    if (reader.inert_template > 0)
        return;
    LinkCollector& collector = reader.collector;
    const auto [assets, ids] = collector.look_for();
    const std::string_view element_name = text(name); // in XML, case makes a difference
    std::optional<LinkElement> element;
    if (std::ranges::equal(element_name, element_name, {}, to_lower))
        element = link_element(element_name, assets);
    if (!element && !assets && !ids)
        return;
    LinkTag tag;
    tag.element = element.value_or(LinkElement::other);
    std::deque<std::string> values; // none moves
    for (int i = 0; i < attributes; ++i) {
        const xmlChar** const attribute = list + static_cast<std::ptrdiff_t>(5) * i;
        if (attribute[1] != nullptr)
            continue; // xlink:href and its like
        const std::string_view key = text(attribute[0]);
        const std::string_view raw(text(attribute[3]),
                                   static_cast<std::size_t>(attribute[4] - attribute[3]));
        if (std::string_view* const place = tag.place_of(key);
            place != nullptr && std::ranges::equal(key, key, {}, to_lower))
            *place = decoded(raw, values.emplace_back()); // libxml2 leaves "&#38;" to us
    }
    collector.add(tag);
    if (element == LinkElement::template_element && text_of(uri) == html_namespace
        && !is_shadow_root(tag))
        reader.inert_template = reader.depth;
}

/// libxml2 calls this for each end tag.
void end_element(void* context, const xmlChar* /*name*/, const xmlChar* /*prefix*/,
                 const xmlChar* /*uri*/) {
    XmlReader& reader = *static_cast<XmlReader*>(context);
    if (reader.inert_template == reader.depth)
        reader.inert_template = 0;
    --reader.depth;
}

/// libxml2 calls this when a document refers to further declarations. Up to 2.9 it reads
/// no further, but 2.15 does, so we stop here, and both find the same links.
xmlEntity* get_parameter_entity(void* reader, const xmlChar* /*name*/) {
    ::xmlStopParser(static_cast<XmlReader*>(reader)->parser);
    return nullptr;
}

/// libxml2 calls this when a document says which attributes an element may have. Each tag
/// then gets those that have a default, which a few thousand lines turn into hours.
void declare_attribute(void* reader, const xmlChar* /*element*/, const xmlChar* /*name*/,
                       int /*type*/, int /*default*/, const xmlChar* /*value*/,
                       xmlEnumeration* values) {
    constexpr int most = 100;
    ::xmlFreeEnumeration(values);
    if (++static_cast<XmlReader*>(reader)->declared_attributes > most)
        ::xmlStopParser(static_cast<XmlReader*>(reader)->parser);
}

/// Passes a document on in parts, up to a tag with more attributes than any has: for
/// those, libxml2 needs time that grows with the square of their number.
void parse_in_parts(std::string_view document, XmlParser& parser) {
    constexpr std::size_t longest_part = std::size_t{16} * 1024;
    constexpr std::size_t most_attributes = 2000;
    std::size_t attributes = 0; // of a tag whose end isn't there yet
    do {
        const std::string_view part = document.substr(0, longest_part);
        document.remove_prefix(part.size());
        parser.take(part, document.empty());
        const std::string_view unread = parser.unread();
        if (unread.size() < part.size() || unread.starts_with("<!--"))
            attributes = 0;
        else
            attributes += static_cast<std::size_t>(std::ranges::count(part, '='));
    } while (!document.empty() && attributes <= most_attributes);
}

} // namespace

void collect_from_xml(std::string_view document, LinkCollector& collector) {
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = &start_element;
    handler.endElementNs = &end_element;
    handler.getParameterEntity = &get_parameter_entity;
    handler.attributeDecl = &declare_attribute;
    collector.add({.element = LinkElement::frameset}); // in XML, frames need none
    XmlReader reader{collector};
    XmlParser parser(handler, &reader);
    reader.parser = parser.get();
    parse_in_parts(document, parser);
}

} // namespace common
