// Compressed bodies for tests.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#define ZLIB_CONST
#include <zlib.h>

namespace tests {

constexpr int gzip = 15 + 16; // zlib's number for this format, with the largest window

/// Compresses a text, by default with gzip.
inline std::string pack(std::string_view text, int format = gzip) {
    z_stream stream{};
    if (deflateInit2(&stream, 9, Z_DEFLATED, format, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("zlib has no memory");
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

} // namespace tests
