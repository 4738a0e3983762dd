// Setting an option of a libcurl handle, and noticing if that fails.
#pragma once

#include <curl/curl.h>
#include <fmt/core.h>

#include <new>
#include <stdexcept>
#include <type_traits>

namespace stage3 {

/// What libcurl takes. Its function has a variable number of arguments, so the compiler
/// would let an `int` through, and libcurl would read a `long` where it lies.
template <class Value>
inline constexpr bool is_option_value =
    std::disjunction_v<std::is_pointer<Value>, std::is_same<Value, long>,
                       std::is_same<Value, curl_off_t>>;

/// Throws std::runtime_error if libcurl was built without that feature, and
/// std::bad_alloc.
template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
    static_assert(is_option_value<Value>, "libcurl takes a pointer, long or curl_off_t");
    const CURLcode code = curl_easy_setopt(easy, option, value);
    if (code == CURLE_OUT_OF_MEMORY)
        throw std::bad_alloc();
    if (code != CURLE_OK)
        throw std::runtime_error(fmt::format("libcurl refuses option {}: {}",
                                             static_cast<int>(option),
                                             curl_easy_strerror(code)));
}

} // namespace stage3
