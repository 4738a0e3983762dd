// What must hold for every style sheet. The input is one.
#include "common/web/embedded_urls.h"
#include "tests/fuzz/fuzz.h"

#include <string>

void tests::fuzz(std::string_view input) {
    std::size_t bytes = 0;
    std::size_t urls = 0;
    std::string first;
    common::find_css_urls(input, [&](std::string_view url, bool) {
        require(!url.empty() && url[0] != '#', "a URL names something to fetch");
        bytes += url.size();
        if (urls++ == 0)
            first = url;
    });
    // The shortest escape of the longest character is "\\0", which becomes U+FFFD.
    require(2 * bytes <= 3 * input.size(), "URLs come from the text");
    require(urls == 0 || input.find_first_of("(\"'") != std::string_view::npos,
            "each URL is in parentheses or quotes");
    // As a string, with each byte as an escape if it must be, it's the same URL.
    std::string quoted;
    for (const char c : first) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        if (c == '\n')
            quoted += "\\a ";
        else if (c == '\r')
            quoted += "\\d ";
        else if (c == '\f')
            quoted += "\\c ";
        else
            quoted += c;
    }
    std::string again;
    common::find_css_urls("a{b:url(\"" + quoted + "\")}",
                          [&](std::string_view url, bool) { again = url; });
    require(again == first, "a URL survives being quoted");
}
