// Setting an option of a libcurl handle, and noticing if that fails.
#pragma once

#include <curl/curl.h>
#include <fmt/core.h>

#include <stdexcept>

namespace stage3 {

/// Throws std::runtime_error if libcurl was built without that feature, or has no memory.
template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
    if (const CURLcode code = curl_easy_setopt(easy, option, value))
        throw std::runtime_error(fmt::format("libcurl refuses option {}: {}",
                                             static_cast<int>(option),
                                             curl_easy_strerror(code)));
}

} // namespace stage3
