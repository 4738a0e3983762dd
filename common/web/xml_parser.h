// libxml2's parser for documents that strangers have written.
//
// It takes a document in parts and calls the functions of a handler. It loads nothing,
// and replaces no entity that a document defines. What it must not be given is up to its
// callers: for some documents, it needs far more time than their length suggests.
#pragma once

#include <libxml/parser.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace common {

/// libxml2's text as ours. Empty if there is none.
inline std::string_view text_of(const xmlChar* text) {
    return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// An attribute of a tag.
struct XmlAttribute {
    /// libxml2 has it in five places: name, prefix, namespace, and where its value begins
    /// and ends.
    explicit XmlAttribute(const xmlChar** places)
        : name(text_of(places[0])), space(text_of(places[2])),
          raw(reinterpret_cast<const char*>(places[3]),
              static_cast<std::size_t>(places[4] - places[3])) {}

    std::string_view name;
    std::string_view space; ///< its namespace, if it has one
    std::string_view raw;   ///< its value, in which "&#38;" may be left
};

class XmlParser {
  public:
    /// `handler` and `reader`, which its functions get, must outlive it. Throws
    /// std::bad_alloc.
    XmlParser(xmlSAXHandler& handler, void* reader);
    XmlParser(const XmlParser&) = delete;
    XmlParser& operator=(const XmlParser&) = delete;
    ~XmlParser();

    /// The next part of the document. `is_last`: no other follows.
    void take(std::string_view part, bool is_last);
    /// What it has got and not yet handled, since the end of a tag, say, is missing.
    std::string_view unread() const;
    /// To be used with libxml2's functions.
    xmlParserCtxt* get() const { return parser_.get(); }

  private:
    struct Free {
        void operator()(xmlParserCtxt* parser) const { ::xmlFreeParserCtxt(parser); }
    };
    std::unique_ptr<xmlParserCtxt, Free> parser_;
};

} // namespace common
