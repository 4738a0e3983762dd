// What must hold for every compressed body, however it is cut. The input's first byte
// chooses the codings and how much may come in at each; the rest is the body, or is
// compressed first.
#include "stage3_queue_crawler/http/content_decoder.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#define ZLIB_CONST
#include <zlib.h>

namespace {

using stage3::ContentDecoder;
using tests::require;
using Codings = std::vector<std::string_view>;
using Verdict = ContentDecoder::Verdict;

constexpr std::size_t plenty = 1'000'000;

struct Unpacked {
    std::string text;
    std::size_t taken = 0; // bytes up to the last valid one
    Verdict verdict = Verdict::fine;
    bool is_whole = false;
};

/// Decodes in parts of that size. The sink wants no more than `wanted` bytes.
Unpacked unpack(std::string_view packed, const Codings& codings, std::size_t part,
                std::size_t most, std::size_t wanted = plenty) {
    Unpacked result;
    ContentDecoder decoder(codings, most);
    bool has_enough = false;
    const ContentDecoder::Sink sink = [&](std::string_view text) {
        require(!has_enough, "a sink that has enough gets no more");
        result.text += text;
        has_enough = result.text.size() > wanted;
        return !has_enough;
    };
    while (result.taken < packed.size()) {
        const std::string_view next = packed.substr(result.taken, part);
        result.verdict = decoder.take(next, sink);
        require(!has_enough || result.verdict == Verdict::enough,
                "decoding ends when the sink has enough");
        if (result.verdict != Verdict::fine)
            break;
        result.taken += next.size();
    }
    result.is_whole = result.verdict == Verdict::fine && decoder.is_whole();
    return result;
}

std::string pack(std::string_view text, std::string_view coding, bool is_raw) {
    constexpr int largest_window = 15;
    int window = is_raw ? -largest_window : largest_window;
    if (coding == "gzip")
        window = largest_window + 16;
    z_stream stream{};
    require(deflateInit2(&stream, 1, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK,
            "zlib has memory");
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

/// One coding after the other, each with its own decoder.
Unpacked peel(std::string_view packed, Codings codings, std::size_t most) {
    Unpacked result{.text = std::string(packed), .is_whole = true};
    while (!codings.empty() && result.verdict == Verdict::fine) {
        const bool was_whole = result.is_whole;
        result = unpack(result.text, {codings.back()}, plenty, most);
        result.is_whole = result.is_whole && was_whole;
        codings.pop_back();
    }
    return result;
}

void check(std::string_view packed, const Codings& codings, std::size_t most) {
    const Unpacked at_once = unpack(packed, codings, plenty, most);
    for (const std::size_t part : {1U, 7U}) {
        const Unpacked cut = unpack(packed, codings, part, most);
        require(cut.taken <= most || codings.empty(),
                "no more comes in than the limit allows");
        if (at_once.verdict == Verdict::fine || cut.verdict == Verdict::fine) {
            require(cut.verdict == at_once.verdict, "cuts don't change the verdict");
            require(cut.text == at_once.text, "cuts make no other text");
            require(cut.is_whole == at_once.is_whole,
                    "cuts don't change whether a body is whole");
        } else {
            require(cut.text.starts_with(at_once.text), "cuts make no other text");
        }
    }
    const Unpacked peeled = peel(packed, codings, most);
    require((peeled.verdict == Verdict::fine) == (at_once.verdict == Verdict::fine),
            "all codings are undone as one by one");
    if (peeled.verdict == Verdict::fine)
        require(peeled.text == at_once.text && peeled.is_whole == at_once.is_whole,
                "all codings are undone as one by one");
    unpack(packed, codings, plenty, most, at_once.text.size() / 2);
}

} // namespace

void tests::fuzz(std::string_view input) {
    if (input.empty())
        return;
    const auto choice = static_cast<unsigned char>(input[0]);
    input.remove_prefix(1);
    const std::vector<Codings> all{{},
                                   {"gzip"},
                                   {"deflate"},
                                   {"gzip", "gzip"},
                                   {"gzip", "deflate"},
                                   {"deflate", "identity", "gzip"},
                                   {"gzip", "deflate", "gzip"},
                                   {"gzip", "br"}};
    const Codings& codings = all[choice % 8];
    const std::size_t most = (choice & 8U) != 0 ? 40 : plenty;
    if ((choice & 16U) == 0) {
        check(input, codings, most);
        return;
    }
    const bool is_raw = (choice & 32U) != 0;
    std::string packed(input);
    for (const std::string_view coding : codings)
        if (coding == "gzip" || coding == "deflate")
            packed = pack(packed, coding, is_raw);
    const Unpacked result = unpack(packed, codings, plenty, plenty);
    const bool is_known = codings.empty() || codings.back() != "br";
    require(!is_known || (result.is_whole && result.text == input),
            "a compressed body is decompressed");
    check(packed, codings, most);
    if (is_known && !codings.empty())
        require(!unpack(packed.substr(0, packed.size() - 1), codings, plenty, plenty)
                     .is_whole,
                "a body that is cut off is not whole");
    // Something after the end.
    check(packed + std::string(input), codings, most);
}
