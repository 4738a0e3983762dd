// libxml2's parser for documents that strangers have written.
//
// It takes a document in parts and calls the functions of a handler. It loads nothing,
// and replaces no entity that a document defines. What it must not be given is up to its
// callers: for some documents, it needs far more time than their length suggests.
#pragma once

#include <libxml/parser.h>

#include <memory>
#include <string_view>

namespace common {

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
