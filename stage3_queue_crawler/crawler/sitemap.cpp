#include "stage3_queue_crawler/crawler/sitemap.h"

#include "common/text/ascii.h"
#include "common/web/charset.h"
#include "common/web/xml_parser.h"
#include "stage3_queue_crawler/http/content_decoder.h"

#include <fmt/core.h>
#include <libxml/parser.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stage3 {
namespace {

using common::Url;

void add_entry(Sitemap& sitemap, const std::optional<Url>& url,
               const SitemapLimits& limits) {
    if (!url)
        ++sitemap.unreadable;
    else if (sitemap.urls.size() < limits.urls)
        sitemap.urls.push_back(*url);
    else
        ++sitemap.left_out;
}

/// A part of the document, for a message on a terminal.
std::string shown(std::string_view text) {
    constexpr std::size_t longest = 100;
    std::string result(common::trim(text.substr(0, longest)));
    std::ranges::replace_if(result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
}

// ---- XML ----

/// Where libxml2 is in a sitemap: <urlset><url><loc>, or <sitemapindex><sitemap><loc>.
/// (A <loc> elsewhere may be that of a picture.)
struct SitemapReader {
    Sitemap& sitemap;
    const Url& base;
    const SitemapLimits& limits;
    xmlParserCtxt* parser = nullptr;
    std::vector<int> open = {}; // elements: how many namespaces each declares
    int namespaces = 0;         // in all of these
    bool is_in_entry = false;
    bool is_in_loc = false;
    bool has_entity = false; // in its text, and we don't know what it stands for
    std::string text = {};   // of <loc>

    std::size_t depth() const { return open.size(); }

    void stop(std::string why) {
        sitemap.error = std::move(why);
        ::xmlStopParser(parser);
    }
    void start(std::string_view name, int declared) {
        constexpr std::size_t most_open = 100;
        constexpr int most_namespaces = 30; // libxml2 goes through them at each name
        open.push_back(declared);
        namespaces += declared;
        if (depth() > most_open || namespaces > most_namespaces) {
            stop("not a sitemap: too many elements or namespaces in one another");
        } else if (depth() == 1) {
            sitemap.is_index = name == "sitemapindex";
            sitemap.is_one = sitemap.is_index || name == "urlset";
            if (!sitemap.is_one)
                stop(fmt::format("not a sitemap, but XML for <{}>", shown(name)));
        } else if (depth() == 2) {
            is_in_entry = name == (sitemap.is_index ? "sitemap" : "url");
        } else if (depth() == 3 && is_in_entry && name == "loc") {
            is_in_loc = true;
            has_entity = false;
            text.clear();
        }
    }
    void end() {
        if (depth() == 3 && is_in_loc) {
            is_in_loc = false;
            const std::string_view reference = common::trim(text);
            const bool is_there = !reference.empty() && !has_entity;
            add_entry(sitemap,
                      is_there ? common::resolve_url(reference, base) : std::nullopt,
                      limits);
        }
        namespaces -= open.back();
        open.pop_back();
    }
    void add(std::string_view more) {
        constexpr std::size_t most = 4 * common::max_url_length; // with spaces around it
        if (is_in_loc && depth() == 3)
            text += more.substr(0, most - std::min(most, text.size()));
    }
};

SitemapReader& reader_in(void* reader) { return *static_cast<SitemapReader*>(reader); }

const char* chars(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

constexpr const char* has_declarations =
    "not read, since it declares its own kind of XML";

xmlSAXHandler sitemap_handler() {
    xmlSAXHandler handler{};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = [](void* reader, const xmlChar* name, const xmlChar*,
                                const xmlChar*, int namespaces, const xmlChar**, int, int,
                                const xmlChar**) {
        reader_in(reader).start(chars(name), namespaces);
    };
    handler.endElementNs = [](void* reader, const xmlChar*, const xmlChar*,
                              const xmlChar*) { reader_in(reader).end(); };
    handler.characters = [](void* reader, const xmlChar* text, int size) {
        reader_in(reader).add({chars(text), static_cast<std::size_t>(size)});
    };
    handler.cdataBlock = handler.characters;
    handler.reference = [](void* reader, const xmlChar*) {
        reader_in(reader).has_entity = true;
    };
    // Declarations make other texts longer: an entity unfolds to more entities, and each
    // element gets thousands of attributes. No sitemap needs them, so we stop there.
    handler.attributeDecl = [](void* reader, const xmlChar*, const xmlChar*, int, int,
                               const xmlChar*, xmlEnumeration* values) {
        ::xmlFreeEnumeration(values);
        reader_in(reader).stop(has_declarations);
    };
    handler.entityDecl = [](void* reader, const xmlChar*, int, const xmlChar*,
                            const xmlChar*,
                            xmlChar*) { reader_in(reader).stop(has_declarations); };
    handler.getParameterEntity = [](void* reader, const xmlChar*) -> xmlEntity* {
        reader_in(reader).stop(has_declarations);
        return nullptr;
    };
    return handler;
}

std::string describe_xml_error(xmlParserCtxt* parser) {
    const auto* const error = ::xmlCtxtGetLastError(parser);
    if (error == nullptr || error->message == nullptr)
        return "broken XML";
    return fmt::format("broken XML in line {}: {}", error->line, shown(error->message));
}

/// True if the parser waits for the end of something that is already too long. Comments
/// may hide entries.
bool is_too_long(std::string_view unread) {
    constexpr std::size_t longest = 8 * 1024;
    constexpr std::size_t longest_comment = 256 * 1024;
    return unread.size() > (unread.starts_with("<!--") ? longest_comment : longest);
}

/// Passes it on in small parts: for one tag, libxml2 needs time that grows with the
/// square of the number of its attributes.
void parse(std::string_view document, common::XmlParser& parser, SitemapReader& reader) {
    constexpr std::size_t part = 4096;
    constexpr int most_names = 10'000; // libxml2's table of them doesn't grow further
    while (!document.empty() && parser.get()->wellFormed != 0) {
        const std::string_view next = document.substr(0, part);
        document.remove_prefix(next.size());
        parser.take(next, document.empty() && !reader.sitemap.is_cut_off);
        if (!reader.sitemap.error.empty())
            return;
        if (is_too_long(parser.unread()))
            reader.stop("not a sitemap: a tag is too long");
        else if (::xmlDictSize(parser.get()->dict) > most_names)
            reader.stop("not a sitemap: its elements have too many names");
    }
}

/// Reads up to the first error.
void read_xml(std::string_view document, SitemapReader reader) {
    xmlSAXHandler handler = sitemap_handler();
    common::XmlParser parser(handler, &reader);
    reader.parser = parser.get();
    parse(document, parser, reader);
    if (parser.get()->wellFormed == 0 && reader.sitemap.error.empty())
        reader.sitemap.error = describe_xml_error(parser.get());
}

// ---- Other forms ----

void read_text(std::string_view text, const SitemapLimits& limits, Sitemap& sitemap) {
    while (!text.empty()) {
        const std::string_view line =
            text.substr(0, std::min(text.find('\n'), text.size()));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (text.empty() && sitemap.is_cut_off)
            break; // of this line, the end is missing
        if (const std::string_view url = common::trim(line); !url.empty())
            add_entry(sitemap, common::parse_url(url), limits);
    }
    sitemap.is_one = !sitemap.urls.empty();
    if (!sitemap.is_one)
        sitemap.error = "not a sitemap: neither XML nor a list of URLs";
}

bool is_gzip(std::string_view body) { return body.starts_with("\x1f\x8b"); }

std::string unpack(std::string_view body, const SitemapLimits& limits, Sitemap& sitemap) {
    std::string text;
    ContentDecoder decoder({"gzip"}, body.size());
    const auto verdict = decoder.take(body, [&](std::string_view part) {
        text += part.substr(0, limits.bytes + 1 - text.size());
        return text.size() <= limits.bytes;
    });
    sitemap.is_cut_off = sitemap.is_cut_off || text.size() > limits.bytes;
    if (verdict == ContentDecoder::Verdict::broken)
        sitemap.error = "its compressed data is broken";
    else if (verdict == ContentDecoder::Verdict::fine && !decoder.is_whole()
             && !sitemap.is_cut_off)
        sitemap.error = "its compressed data is cut off";
    return text;
}

} // namespace

Sitemap read_sitemap(std::string_view body, const Url& url, const SitemapLimits& limits) {
    Sitemap sitemap;
    std::string unpacked;
    sitemap.is_cut_off = body.size() > limits.bytes;
    if (is_gzip(body))
        body = unpacked = unpack(body, limits, sitemap);
    body = body.substr(0, limits.bytes);
    const auto begin = std::min(body.find_first_not_of(" \t\r\n"), body.size());
    body.remove_prefix(begin); // some programs put an empty line before "<?xml"
    std::string storage;
    const std::string broken = std::exchange(sitemap.error, "");
    constexpr std::size_t enough = 100;
    if (body.empty())
        sitemap.error = "empty";
    else if (common::trim(common::to_utf8(body.substr(0, enough), "", storage))
                 .starts_with('<'))
        read_xml(body, {sitemap, url, limits});
    else
        read_text(common::to_utf8(body, "", storage), limits, sitemap);
    if (!broken.empty())
        sitemap.error = broken;
    return sitemap;
}

} // namespace stage3
