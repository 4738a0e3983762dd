#include "common/web/links.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/html_scanner.h"

#include <libxml/parser.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

namespace common {
namespace {

/// Collects references as they come. Where they lead is known only at the end, because
/// the base may come after them.
class LinkCollector {
  public:
    LinkCollector(Url base, LinkLimits limits)
        : base_(std::move(base)), limits_(std::move(limits)) {}

    /// Takes attributes with their character references resolved.
    void add(const LinkTag& tag) {
        switch (tag.element) {
        case LinkElement::a:
        case LinkElement::area: add_reference(tag.href); break;
        case LinkElement::frame:
        case LinkElement::iframe: add_reference(tag.src); break;
        case LinkElement::base:
            if (!base_seen_ && is_there(tag.href)) {
                base_seen_ = true; // the first one counts, even if it is no URL
                if (auto url = resolve_url(tag.href, base_))
                    base_ = *std::move(url);
            }
            break;
        case LinkElement::meta:
            if (equal_ignoring_case(tag.http_equiv, "refresh")) {
                const auto target = refresh_target(tag.content);
                if (!target.empty())
                    add_reference(target);
            }
            break;
        }
    }

    Links links() {
        Links result;
        result.urls.reserve(std::min(ends_.size(), limits_.links)); // none moves
        std::unordered_set<std::string_view> seen;                  // in these URLs
        std::size_t begin = 0;
        std::size_t bytes = 0;
        for (const std::size_t end : ends_) {
            const auto reference =
                std::string_view(references_).substr(begin, end - begin);
            auto url = resolve_url(reference, base_);
            begin = end;
            if (!url) {
                ++(is_wanted_but_too_long(reference) ? result.too_long
                                                     : result.unreadable);
            } else if (seen.contains(url->href()) || !limits_.wanted(*url)) {
                continue;
            } else if (seen.size() >= limits_.links
                       || bytes + url->href().size() > limits_.bytes) {
                ++result.left_out;
            } else {
                bytes += url->href().size();
                result.urls.push_back(*std::move(url));
                seen.insert(result.urls.back().href());
            }
        }
        return result;
    }

  private:
    /// Its beginning shows where it leads, which may be out of scope, and whether it is a
    /// link at all.
    bool is_wanted_but_too_long(std::string_view reference) const {
        if (reference.size() + base_.href().size() <= max_url_length)
            return false;
        const auto beginning =
            resolve_url(reference.substr(0, max_url_length / 4), base_);
        return beginning && limits_.wanted(*beginning);
    }

    void add_reference(std::string_view reference) {
        if (!is_there(reference))
            return;
        // Fragments and blanks may be long, but a URL may not: no more of it is kept than
        // it takes to see that it is too long.
        references_ += reference.substr(0, 4 * max_url_length);
        ends_.push_back(references_.size());
    }

    Url base_;
    const LinkLimits limits_;
    bool base_seen_ = false;
    std::string references_; // one after the other
    std::vector<std::size_t> ends_;
};

// ---- HTML
// -------------------------------------------------------------------------------

void collect_from_html(std::string_view page, LinkCollector& collector) {
    HtmlScanner scanner(page);
    LinkTag tag;
    std::array<std::string, 4> storage;
    while (scanner.next(tag)) {
        if (is_there(tag.href))
            tag.href = decoded(tag.href, storage[0]);
        if (is_there(tag.src))
            tag.src = decoded(tag.src, storage[1]);
        if (is_there(tag.content))
            tag.content = decoded(tag.content, storage[2]);
        if (is_there(tag.http_equiv))
            tag.http_equiv = decoded(tag.http_equiv, storage[3]);
        collector.add(tag);
    }
}

// ---- XML
// --------------------------------------------------------------------------------

/// What libxml2 hands back to the functions below.
struct XmlReader {
    LinkCollector& collector;
    xmlParserCtxt* parser = nullptr;
};

/// libxml2 calls this for each start tag. An attribute takes five places: name, prefix,
/// namespace, and where its value begins and ends.
void start_element(void* reader, const xmlChar* name, const xmlChar* /*prefix*/,
                   const xmlChar* /*uri*/, int /*namespaces*/,
                   const xmlChar** /*namespace_list*/, int attributes, int /*defaulted*/,
                   const xmlChar** list) {
    const auto text = [](const xmlChar* begin) {
        return reinterpret_cast<const char*>(begin);
    };
    using Known = std::pair<std::string_view, LinkElement>;
    constexpr std::array<Known, 6> known{{{"a", LinkElement::a},
                                          {"area", LinkElement::area},
                                          {"base", LinkElement::base},
                                          {"frame", LinkElement::frame},
                                          {"iframe", LinkElement::iframe},
                                          {"meta", LinkElement::meta}}};
    const auto* found =
        std::ranges::find(known, std::string_view(text(name)), &Known::first);
    if (found == known.end())
        return;
    LinkTag tag;
    tag.element = found->second;
    std::array<std::string, 4> values;
    for (int i = 0; i < attributes; ++i) {
        const xmlChar** const attribute = list + static_cast<std::ptrdiff_t>(5) * i;
        if (attribute[1] != nullptr)
            continue; // xlink:href and its like
        const std::string_view key = text(attribute[0]);
        const std::string_view raw(text(attribute[3]),
                                   static_cast<std::size_t>(attribute[4] - attribute[3]));
        const auto set = [&](std::string_view& part, std::string& storage) {
            part = decoded(raw, storage); // libxml2 leaves "&#38;" for us to resolve
        };
        if (key == "href")
            set(tag.href, values[0]);
        else if (key == "src")
            set(tag.src, values[1]);
        else if (key == "content")
            set(tag.content, values[2]);
        else if (key == "http-equiv")
            set(tag.http_equiv, values[3]);
    }
    static_cast<XmlReader*>(reader)->collector.add(tag);
}

/// libxml2 calls this when a document refers to further declarations. Up to 2.9 it reads
/// no further, but 2.15 does, so we stop here, and both find the same links.
xmlEntity* get_parameter_entity(void* reader, const xmlChar* /*name*/) {
    ::xmlStopParser(static_cast<XmlReader*>(reader)->parser);
    return nullptr;
}

/// Reads XML up to its first error. Entities that the document defines are not replaced,
/// because a few lines of them can unfold to gigabytes.
void collect_from_xml(std::string_view document, LinkCollector& collector) {
    // libxml2 wants this to happen once, before two threads use it at the same time.
    [[maybe_unused]] static const bool initialised = [] {
        ::xmlInitParser();
        return true;
    }();
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = &start_element;
    handler.getParameterEntity = &get_parameter_entity;
    XmlReader reader{collector};
    const std::unique_ptr<xmlParserCtxt, decltype(&::xmlFreeParserCtxt)> parser(
        ::xmlCreatePushParserCtxt(&handler, &reader, nullptr, 0, nullptr),
        &::xmlFreeParserCtxt);
    reader.parser = parser.get();
    // HUGE: libxml2's own limits differ between versions. Ours is on the document.
    ::xmlCtxtUseOptions(parser.get(), XML_PARSE_NONET | XML_PARSE_NOERROR
                                          | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
    ::xmlParseChunk(parser.get(), document.data(), static_cast<int>(document.size()), 1);
    // A document that the parser made, not we.
    if (parser->myDoc != nullptr) {
        ::xmlFreeDoc(parser->myDoc);
        parser->myDoc = nullptr;
    }
}

std::string_view media_type(std::string_view content_type) {
    return trim(content_type.substr(0, content_type.find(';')));
}

} // namespace

bool may_hold_links(std::string_view content_type, std::string_view body) {
    if (trim(content_type).empty()) {
        constexpr std::string_view mark = "\xef\xbb\xbf"; // UTF-8's byte order mark
        if (body.starts_with(mark))
            body.remove_prefix(mark.size());
        return trim(body).starts_with('<');
    }
    constexpr std::array<std::string_view, 4> types{"text/html", "application/xhtml+xml",
                                                    "application/xml", "text/xml"};
    return std::ranges::any_of(types, [&](std::string_view known) {
        return equal_ignoring_case(media_type(content_type), known);
    });
}

Links find_links(std::string_view body, std::string_view content_type, const Url& base,
                 const LinkLimits& limits) {
    if (!may_hold_links(content_type, body) || body.size() > INT_MAX / 4)
        return {};
    LinkCollector collector(base, limits);
    const std::string_view type = media_type(content_type);
    if (type.empty() || equal_ignoring_case(type, "text/html")) {
        std::string storage;
        collect_from_html(to_utf8(body, content_type, storage), collector);
    } else {
        collect_from_xml(body, collector); // XML says itself which encoding it has
    }
    return collector.links();
}

// [links-of]
std::vector<Url> links_of(const HttpResponse& response, const Url& url) {
    if (is_redirect(response.status)) {
        const auto target = resolve_url(response.header("Location"), url);
        return target ? std::vector{*target} : std::vector<Url>{};
    }
    if (response.status != 200)
        return {};
    return find_links(response.body, response.header("Content-Type"), url).urls;
}
// [/links-of]

} // namespace common
