#include "stage3_queue_crawler/http/content_decoder.h"
#include "tests/support/pack.h"
#include "tests/support/prelude.h"

using namespace tests;
using stage3::ContentDecoder;
using Verdict = ContentDecoder::Verdict;

namespace {

constexpr int with_header = 15; // zlib's numbers for its formats
constexpr int raw = -15;
constexpr std::size_t plenty = 100'000'000;

struct Unpacked {
    std::string text;
    Verdict verdict = Verdict::fine;
    bool is_whole = false;
};

/// Unpacks `packed`, which comes in parts of size `part`.
Unpacked unpack(std::string_view packed, const std::vector<std::string_view>& codings,
                std::size_t part = plenty, std::size_t most = plenty) {
    Unpacked result;
    ContentDecoder decoder(codings, most);
    const ContentDecoder::Sink sink = [&](std::string_view text) {
        result.text += text;
        return result.text.size() <= most;
    };
    while (!packed.empty() && result.verdict == Verdict::fine) {
        result.verdict = decoder.take(packed.substr(0, part), sink);
        packed.remove_prefix(std::min(part, packed.size()));
    }
    result.is_whole = decoder.is_whole();
    return result;
}

/// A text that is not too easy to compress, so that hardly any two bytes yield the same.
std::string some_text() {
    std::string text;
    for (unsigned i = 0; i < 40'000; ++i)
        text += static_cast<char>('a' + i * i % 23 * (i % 7) % 26);
    return text;
}

} // namespace

TEST_CASE("a body without compression stays as it is") {
    for (const std::vector<std::string_view>& codings : {std::vector<std::string_view>{},
                                                         {"identity"},
                                                         {"none"},
                                                         {"UTF-8", "identity"}}) {
        const Unpacked result = unpack("a text", codings, 2);
        CHECK(result.text == "a text");
        CHECK(result.is_whole);
    }
}

TEST_CASE("gzip and deflate are unpacked from parts of any size") {
    const std::string text = some_text();
    for (const std::size_t part : {std::size_t{1}, std::size_t{7}, plenty}) {
        for (const char* const name : {"gzip", "GZip", "x-gzip"}) {
            const Unpacked result = unpack(pack(text), {name}, part);
            CHECK(result.text == text);
            CHECK(result.is_whole);
        }
        for (const int format : {with_header, raw}) {
            const Unpacked result = unpack(pack(text, format), {"deflate"}, part);
            CHECK(result.text == text);
            CHECK(result.is_whole);
        }
    }
}

TEST_CASE("a body that is cut off is incomplete, and its beginning is kept") {
    const std::string text = "a text that is packed, and then cut off";
    for (const int format : {gzip, with_header, raw}) {
        const std::string packed = pack(text, format);
        for (std::size_t size = 1; size < packed.size(); ++size) {
            const Unpacked result =
                unpack(packed.substr(0, size), {format == gzip ? "gzip" : "deflate"});
            CHECK(result.verdict == Verdict::fine);
            CHECK_FALSE(result.is_whole);
            CHECK(text.starts_with(result.text));
        }
    }
}

TEST_CASE("an empty body is complete") {
    CHECK(unpack("", {"gzip"}).is_whole);
    const Unpacked nothing = unpack(pack(""), {"gzip"});
    CHECK(nothing.text.empty());
    CHECK(nothing.is_whole);
}

TEST_CASE(
    "several gzip members make one body, and anything else after the end is ignored") {
    for (const std::size_t part : {std::size_t{1}, plenty}) {
        CHECK(unpack(pack("one ") + pack("two"), {"gzip"}, part).text == "one two");
        const Unpacked zeros =
            unpack(pack("one") + std::string(100, '\0'), {"gzip"}, part);
        CHECK(zeros.text == "one");
        CHECK(zeros.is_whole);
        CHECK(unpack(pack("one", raw) + "\x1f and more", {"deflate"}, part).text
              == "one");
        // This also holds for another gzip member that follows something else.
        for (const std::string& more : {pack("two"), std::string("\x1f")}) {
            const Unpacked one = unpack(pack("one") + "." + more, {"gzip"}, part);
            CHECK(one.text == "one");
            CHECK(one.verdict == Verdict::fine);
            CHECK(one.is_whole);
        }
    }
    const std::string second = pack("two");
    CHECK_FALSE(unpack(pack("one") + second.substr(0, 12), {"gzip"}).is_whole);
}

TEST_CASE("a body that was compressed more than once is unpacked") {
    const std::string text = some_text();
    const Unpacked result =
        unpack(pack(pack(text), with_header), {"gzip", "deflate"}, 100);
    CHECK(result.text == text);
    CHECK(result.is_whole);
    for (const std::size_t part : {std::size_t{1}, plenty}) {
        CHECK(unpack(pack(pack(text, raw)), {"deflate", "gzip"}, part).text == text);
        CHECK(unpack(pack(""), {"deflate", "gzip"}, part).is_whole);
    }
    // The inner coding is cut off, but the outer one is complete.
    const std::string inner = pack(text);
    CHECK_FALSE(
        unpack(pack(inner.substr(0, inner.size() / 2)), {"gzip", "gzip"}).is_whole);
}

TEST_CASE(
    "a body that isn't compressed as announced, or with an unknown coding, is broken") {
    CHECK(unpack("a text", {"gzip"}).verdict == Verdict::broken);
    CHECK(unpack("a text", {"deflate"}).verdict == Verdict::broken);
    CHECK(unpack("a text", {"br"}).verdict == Verdict::broken);
    CHECK(unpack(pack("a text"), {"rot13", "gzip"}).verdict == Verdict::broken);
    std::string packed = pack(some_text());
    packed[packed.size() / 2] ^= 1; // the checksum is wrong at the latest
    CHECK(unpack(packed, {"gzip"}).verdict == Verdict::broken);
    const std::vector<std::string_view> five(5, "gzip");
    CHECK(unpack(pack(pack(pack(pack(pack("a"))))), five).text == "a");
    const std::vector<std::string_view> six(6, "gzip");
    CHECK(unpack(pack(pack(pack(pack(pack(pack("a")))))), six).verdict
          == Verdict::broken);
}

TEST_CASE("the input is counted at each coding and the output by the sink") {
    const std::string zeros(1'000'000, '\0');
    const Unpacked bomb = unpack(pack(zeros), {"gzip"}, plenty, 20'000);
    CHECK(bomb.verdict == Verdict::enough);
    CHECK(bomb.text.size() < 20'000 + 17 * 1024);
    // A file name of a million letters in the inner gzip header: no output at all.
    const std::string head("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03", 10);
    const Unpacked silent = unpack(pack(head + std::string(1'000'000, 'n')),
                                   {"gzip", "gzip"}, plenty, 20'000);
    CHECK(silent.text.empty());
    CHECK(silent.verdict == Verdict::enough);
    const std::string long_head = head + std::string(30'000, 'n');
    CHECK(unpack(long_head, {"gzip"}, 100, 20'000).verdict == Verdict::enough);
}
