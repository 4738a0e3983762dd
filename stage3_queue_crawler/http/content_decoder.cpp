#include "stage3_queue_crawler/http/content_decoder.h"

#include "common/text/ascii.h"

#include <algorithm>
#include <array>
#include <new>

#define ZLIB_CONST // it doesn't write into what it's given
#include <zlib.h>

namespace stage3 {
namespace {

constexpr std::size_t buffer_size = std::size_t{16} * 1024;

/// True for what some servers write if nothing is compressed; browsers ignore it.
bool says_nothing(std::string_view coding) {
    constexpr std::array words{"identity",   "none",   "utf-8", "utf8",
                               "iso-8859-1", "binary", "8bit",  "7bit"};
    return std::ranges::any_of(words, [coding](const char* word) {
        return common::equal_ignoring_case(coding, word);
    });
}

} // namespace

ContentDecoder::ContentDecoder(const std::vector<std::string_view>& codings,
                               std::size_t most) {
    for (const std::string_view coding : codings) {
        const bool is_gzip = common::equal_ignoring_case(coding, "gzip")
                             || common::equal_ignoring_case(coding, "x-gzip");
        if (is_gzip || common::equal_ignoring_case(coding, "deflate"))
            layers_.push_back({.is_gzip = is_gzip});
        else if (!says_nothing(coding))
            is_unknown_ = true;
    }
    is_unknown_ = is_unknown_ || layers_.size() > most_codings;
    room_.assign(layers_.size(), most);
}

ContentDecoder::Verdict ContentDecoder::take(std::string_view packed, const Sink& sink) {
    if (is_unknown_)
        return Verdict::broken;
    return packed.empty() ? Verdict::fine : take(packed, layers_.size(), sink);
}

// [take]
/// `bytes` are compressed `layers` times.
ContentDecoder::Verdict ContentDecoder::take(std::string_view bytes, std::size_t layers,
                                             const Sink& sink) {
    if (layers == 0)
        return sink(bytes) ? Verdict::fine : Verdict::enough;
    if (bytes.size() > room_[layers - 1])
        return Verdict::enough;
    room_[layers - 1] -= bytes.size();
    Layer& layer = layers_[layers - 1];
    z_stream& stream = begin(layer, bytes);
    std::array<char, buffer_size> unpacked;
    while (!layer.has_ended || goes_on(layer)) {
        stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
        stream.avail_out = buffer_size;
        const int result = inflate(&stream, Z_NO_FLUSH);
        layer.has_ended = result == Z_STREAM_END;
        const std::size_t size = buffer_size - stream.avail_out;
        if (size == 0 && result == Z_BUF_ERROR)
            break; // it needs more input
        if (result != Z_OK && !layer.has_ended)
            return Verdict::broken;
        if (size == 0)
            continue; // a header or an end, and no bytes to pass on
        const Verdict verdict = take({unpacked.data(), size}, layers - 1, sink);
        if (verdict != Verdict::fine)
            return verdict;
    }
    return Verdict::fine;
}
// [/take]

/// Gives bytes to a layer, and a stream as well if they are its first.
z_stream& ContentDecoder::begin(Layer& layer, std::string_view packed) {
    if (!layer.stream) {
        // Some servers send what RFC 1951 calls deflate, some what HTTP means by it: the
        // same inside RFC 1950's header, whose first byte ends in 8. (RFC 9110, 8.4.1.2.)
        const bool has_header = (static_cast<unsigned char>(packed.front()) & 0x0fU) == 8;
        constexpr int largest_window = 15;
        constexpr int of_gzip = 16;
        int window = has_header ? largest_window : -largest_window;
        if (layer.is_gzip)
            window = largest_window + of_gzip;
        auto stream = std::make_unique<z_stream>();
        if (inflateInit2(stream.get(), window) != Z_OK)
            throw std::bad_alloc();
        layer.stream.reset(stream.release());
    }
    layer.stream->next_in = reinterpret_cast<const Bytef*>(packed.data());
    layer.stream->avail_in = static_cast<uInt>(packed.size());
    return *layer.stream;
}

/// After the end: another gzip file may follow, and is a part of it (RFC 1952, section
/// 2.2). Anything else is ignored, and so is whatever follows that.
bool ContentDecoder::goes_on(Layer& layer) {
    constexpr Bytef first_of_gzip = 0x1f;
    z_stream& stream = *layer.stream;
    if (stream.avail_in == 0)
        return false;
    layer.is_over = layer.is_over || !layer.is_gzip || *stream.next_in != first_of_gzip;
    if (layer.is_over)
        return false;
    inflateReset(&stream);
    return true;
}

bool ContentDecoder::is_whole() const {
    return std::ranges::all_of(
        layers_, [](const Layer& layer) { return !layer.stream || layer.has_ended; });
}

void ContentDecoder::Free::operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
}

} // namespace stage3
