#include "common/text/hash.h"
#include "tests/support/prelude.h"

#include <string>
#include <unordered_set>

using common::hash_of;

TEST_CASE("texts that differ in one byte, or in their length, have different hashes") {
    std::unordered_set<std::uint64_t> hashes;
    std::size_t texts = 0;
    for (std::size_t size = 0; size <= 40; ++size) {
        const std::string text(size, 'a');
        hashes.insert(hash_of(text));
        ++texts;
        for (std::size_t at = 0; at < size; ++at)
            for (const char other : {'b', 'A', '\0', '\xff'}) {
                std::string changed = text;
                changed[at] = other;
                hashes.insert(hash_of(changed));
                ++texts;
            }
    }
    CHECK(hashes.size() == texts);
}

TEST_CASE("a text has the same hash wherever it is") {
    const std::string text = "http://example.com/a/long/path?with=a&query";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const std::uint64_t hash = hash_of(std::string_view(text).substr(0, size));
        for (std::size_t offset = 0; offset < 9; ++offset) {
            const std::string moved =
                std::string(offset, 'x') + text.substr(0, size) + "y";
            CHECK(hash_of(std::string_view(moved).substr(offset, size)) == hash);
        }
    }
}
