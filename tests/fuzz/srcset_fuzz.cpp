// What must hold for every srcset. The input is one.
#include "common/web/embedded_urls.h"
#include "tests/fuzz/fuzz.h"

void tests::fuzz(std::string_view input) {
    const char* last = input.data();
    common::find_srcset_urls(input, [&](std::string_view url) {
        require(!url.empty(), "no URL is empty");
        require(url.data() >= last
                    && url.data() + url.size() <= input.data() + input.size(),
                "URLs are parts of the text, in order");
        require(url.find_first_of(" \t\n\r\f") == std::string_view::npos,
                "no URL has a blank");
        require(url.front() != ',' && url.back() != ',',
                "no URL has a comma at its ends");
        last = url.data() + url.size();
    });
}
