#include "common/web/percent_encoding.h"

namespace common {

std::string percent_decoded(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool encoded = text[i] == '%' && i + 2 < text.size()
                             && hex_value(text[i + 1]) >= 0
                             && hex_value(text[i + 2]) >= 0;
        if (encoded) {
            result +=
                static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

} // namespace common
