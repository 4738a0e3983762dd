#include "tests/bench/libxml2_links.h"

#include <curl/curl.h>
#include <libxml/HTMLparser.h>

#include <memory>

namespace tests {

namespace {

// [libxml2-links]
void start_element(void* references, const xmlChar* name, const xmlChar** attributes) {
    const auto text = [](const xmlChar* s) { return reinterpret_cast<const char*>(s); };
    const std::string_view element = text(name);
    const bool in_href = element == "a" || element == "area";
    const bool in_src = element == "frame" || element == "iframe";
    if (attributes == nullptr || (!in_href && !in_src))
        return;
    for (; attributes[0] != nullptr; attributes += 2)
        if (text(attributes[0]) == std::string_view(in_href ? "href" : "src")
            && attributes[1] != nullptr)
            static_cast<std::vector<std::string>*>(references)
                ->emplace_back(text(attributes[1]));
}
// [/libxml2-links]

} // namespace

std::vector<std::string> libxml2_references(std::string_view page) {
    std::vector<std::string> references;
    htmlSAXHandler handler{};
    handler.startElement = &start_element;
    const std::unique_ptr<htmlParserCtxt, decltype(&::htmlFreeParserCtxt)> parser(
        ::htmlCreatePushParserCtxt(&handler, &references, nullptr, 0, nullptr,
                                   XML_CHAR_ENCODING_NONE),
        &::htmlFreeParserCtxt);
    ::htmlCtxtReadMemory(parser.get(), page.data(), static_cast<int>(page.size()),
                         nullptr, nullptr,
                         HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    return references;
}

std::string libcurl_resolve(const std::string& reference, const std::string& base) {
    const std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> handle(
        ::curl_url(), &::curl_url_cleanup);
    char* text = nullptr;
    if (::curl_url_set(handle.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK
        || ::curl_url_set(handle.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK
        || ::curl_url_get(handle.get(), CURLUPART_URL, &text, 0) != CURLUE_OK)
        return {};
    const std::unique_ptr<char, decltype(&::curl_free)> owner(text, &::curl_free);
    return text;
}

} // namespace tests
