#include "common/web/xml_parser.h"

#include <cstddef>
#include <new>

namespace common {

XmlParser::XmlParser(xmlSAXHandler& handler, void* reader) {
    [[maybe_unused]] static const bool initialised = [] {
        ::xmlInitParser(); // once, before two threads use it at the same time
        return true;
    }();
    parser_.reset(::xmlCreatePushParserCtxt(&handler, reader, nullptr, 0, nullptr));
    if (!parser_)
        throw std::bad_alloc();
    // HUGE: libxml2's own limits differ between versions. Ours is on the document.
    ::xmlCtxtUseOptions(parser_.get(), XML_PARSE_NONET | XML_PARSE_NOERROR
                                           | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
}

XmlParser::~XmlParser() {
    if (parser_->myDoc != nullptr) { // the parser has made it, not we
        ::xmlFreeDoc(parser_->myDoc);
        parser_->myDoc = nullptr;
    }
}

void XmlParser::take(std::string_view part, bool is_last) {
    ::xmlParseChunk(parser_.get(), part.data(), static_cast<int>(part.size()),
                    is_last ? 1 : 0);
}

std::string_view XmlParser::unread() const {
    const xmlParserInput* const input = parser_->input;
    if (input == nullptr || input->cur == nullptr)
        return {};
    return {reinterpret_cast<const char*>(input->cur),
            static_cast<std::size_t>(input->end - input->cur)};
}

} // namespace common
