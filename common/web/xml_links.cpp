#include "common/web/xml_links.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/feed_links.h"
#include "common/web/html_links.h"
#include "common/web/html_scanner.h"
#include "common/web/link_place.h"
#include "common/web/xml_parser.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace common {
namespace {

/// What libxml2 hands back to the functions below.
struct XmlReader {
    LinkCollector& collector;
    std::string_view document; // empty if libxml2 has another text
    xmlParserCtxt* parser = nullptr;
    int declared_attributes = 0;
    std::optional<FeedReader> feed = {};
    int depth = 0;          // of elements
    int inert_template = 0; // the depth of the template that all this is in. 0: none
    int style = 0;          // the depth of the style element that it is in
    std::string css = {};   // what that contains so far
    LinkTag tag = {};       // the last one, while it's handed over
    LinkTag written = {};   // if places are wanted: the last one, as it's in the document
};

constexpr std::string_view html_namespace = "http://www.w3.org/1999/xhtml";
constexpr std::string_view svg_namespace = "http://www.w3.org/2000/svg";
constexpr std::string_view xlink_namespace = "http://www.w3.org/1999/xlink";

/// Which element it is, by its namespace and name. In XML, case makes a difference.
std::optional<LinkElement> element_of(std::string_view space, std::string_view name,
                                      LookFor look_for) {
    if (space == svg_namespace)
        return svg_element(name, false);
    std::optional<LinkElement> element;
    if (std::ranges::equal(name, name, {}, to_lower))
        element = link_element(name, look_for.assets);
    if (element && (is_of_svg(*element) || name == "image"))
        element.reset(); // it has SVG's name only; and HTML alone takes image for img
    if (!element && (look_for.assets || look_for.ids))
        return LinkElement::other;
    return element;
}

/// Where an attribute belongs in the tag. Null: nowhere.
std::string_view* place_of(const XmlAttribute& attribute, LinkTag& tag) {
    if (!attribute.space.empty())
        return attribute.space == xlink_namespace && attribute.name == "href"
                   ? &tag.xlink_href
                   : nullptr;
    const std::string_view name = attribute.name;
    return std::ranges::equal(name, name, {}, to_lower) ? tag.place_of(name) : nullptr;
}

/// What a tag's views are views of.
struct TagValues {
    std::deque<std::string> texts; // none moves
    Presentation presentation;
};

void take_attribute(const XmlAttribute& attribute, LinkTag& tag, TagValues& values) {
    std::string& storage = values.texts.emplace_back(); // libxml2 leaves "&#38;" to us
    if (std::string_view* const place = place_of(attribute, tag))
        *place = decoded(attribute.raw, storage);
    else if (is_of_svg(tag.element) && attribute.space.empty())
        values.presentation.add(attribute.name, decoded(attribute.raw, storage));
}

/// The part of the document that libxml2 has at `text`, in front of where it stands;
/// empty if that's another text: an entity's, or one in another encoding.
std::string_view in_document(const XmlReader& reader, std::string_view text) {
    if (reader.document.empty()) // then libxml2 would need long to count
        return {};
    const long end = ::xmlByteConsumed(reader.parser);
    const auto* const at = reinterpret_cast<const char*>(reader.parser->input->cur);
    const std::less_equal<> not_after;
    if (reader.parser->inputNr > 1 || end < 0 || !not_after(text.data(), at)
        || static_cast<std::size_t>(end) > reader.document.size()
        || at - text.data() > end)
        return {};
    const auto begin = static_cast<std::size_t>(end - (at - text.data()));
    const std::string_view found = reader.document.substr(begin, text.size());
    return found == text ? found : std::string_view();
}

/// The tag that libxml2 has just read. In XML, no value contains a "<".
std::string_view tag_in_document(const XmlReader& reader) {
    const auto* const input = reader.parser->input;
    const std::string_view read(reinterpret_cast<const char*>(input->base),
                                static_cast<std::size_t>(input->cur - input->base));
    const auto begin = read.rfind('<');
    return begin == std::string_view::npos ? std::string_view()
                                           : in_document(reader, read.substr(begin));
}

/// The value of an attribute of that tag. Where it has character references, libxml2's
/// is another text.
std::string_view value_in_document(const XmlReader& reader,
                                   const XmlAttribute& attribute) {
    const std::string_view found = in_document(reader, attribute.raw);
    return is_there(found) ? found : attribute_of(reader.written.written, attribute.name);
}

/// Tells where the tag is that libxml2 has just read.
void tell_place(XmlReader& reader) {
    reader.written = {.element = LinkElement::other, .written = tag_in_document(reader)};
    const std::string_view written = reader.written.written;
    if (!is_there(written)) {
        reader.collector.places().are_on(
            static_cast<std::uint32_t>(::xmlSAX2GetLineNumber(reader.parser)));
        return;
    }
    const char* const end = written.data() + written.size();
    const auto behind =
        reader.document.substr(static_cast<std::size_t>(end - reader.document.data()));
    reader.collector.places().are_of(reader.tag, reader.written,
                                     behind.substr(behind.starts_with('/') ? 2 : 1));
}

/// A tag, unless it's of a feed.
void take_tag(XmlReader& reader, std::string_view space, std::string_view name,
              std::span<const XmlAttribute> attributes) {
    const auto element = element_of(space, name, reader.collector.look_for());
    if (!element)
        return;
    LinkTag tag{.element = *element};
    TagValues values;
    for (const XmlAttribute& attribute : attributes)
        take_attribute(attribute, tag, values);
    tag.presentation = values.presentation.css();
    if (!has_background(name))
        tag.background = {};
    if (reader.collector.places().are_wanted()) {
        reader.tag = tag;
        reader.written.element = *element;
        for (const XmlAttribute& attribute : attributes)
            if (std::string_view* const place = place_of(attribute, reader.written))
                *place = value_in_document(reader, attribute);
    }
    reader.collector.add(tag);
    if (*element == LinkElement::iframe && is_there(tag.srcdoc))
        collect_from_srcdoc(tag.srcdoc, reader.collector);
    reader.tag = {};
    if (*element == LinkElement::style || *element == LinkElement::svg_style)
        reader.style = reader.depth;
    if (*element == LinkElement::template_element && space == html_namespace
        && !is_shadow_root(tag))
        reader.inert_template = reader.depth;
}

/// libxml2 calls this for each start tag.
void start_element(void* context, const xmlChar* name, const xmlChar* /*prefix*/,
                   const xmlChar* uri, int /*namespaces*/,
                   const xmlChar** /*namespace_list*/, int count, int /*defaulted*/,
                   const xmlChar** list) {
    XmlReader& reader = *static_cast<XmlReader*>(context);
    ++reader.depth;
    if (reader.inert_template > 0)
        return;
    const std::string_view space = text_of(uri);
    std::vector<XmlAttribute> attributes;
    attributes.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        attributes.emplace_back(list + static_cast<std::ptrdiff_t>(5) * i);
    if (reader.collector.places().are_wanted())
        tell_place(reader);
    if (reader.depth == 1 && is_feed(space, text_of(name)))
        reader.feed.emplace(reader.collector, space);
    if (reader.feed)
        reader.feed->start(reader.depth, space, text_of(name), attributes);
    // Atom's content may be XHTML.
    if (!reader.feed || space == html_namespace || space == svg_namespace)
        take_tag(reader, space, text_of(name), attributes);
}

/// libxml2 calls this for text, in pieces.
void take_text(void* context, const xmlChar* text, int size) {
    XmlReader& reader = *static_cast<XmlReader*>(context);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): it ends in no zero
    const std::string_view piece(reinterpret_cast<const char*>(text),
                                 static_cast<std::size_t>(size));
    if (reader.style > 0 && reader.style == reader.depth)
        reader.css += piece;
    if (reader.feed)
        reader.feed->take_text(reader.depth, piece);
}

/// libxml2 calls this for each end tag.
void end_element(void* context, const xmlChar* /*name*/, const xmlChar* /*prefix*/,
                 const xmlChar* /*uri*/) {
    XmlReader& reader = *static_cast<XmlReader*>(context);
    if (reader.inert_template == reader.depth)
        reader.inert_template = 0;
    if (reader.style == reader.depth) {
        reader.collector.add_css(reader.css);
        reader.css.clear();
        reader.style = 0;
    }
    if (reader.feed)
        reader.feed->end(reader.depth);
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
    handler.characters = &take_text;
    handler.cdataBlock = &take_text;
    handler.getParameterEntity = &get_parameter_entity;
    handler.attributeDecl = &declare_attribute;
    collector.add({.element = LinkElement::frameset}); // in XML, frames need none
    const bool is_utf8 = charset_of_xml(document) == "utf-8";
    collector.places().are_in(document);
    XmlReader reader{.collector = collector,
                     .document = is_utf8 ? document : std::string_view()};
    XmlParser parser(handler, &reader);
    reader.parser = parser.get();
    parse_in_parts(document, parser);
}

} // namespace common
