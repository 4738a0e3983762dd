#include "common/web/fragments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

using common::is_indicated;

namespace {

std::optional<std::string> fragment_to_find(std::string_view reference) {
    std::string storage;
    const auto found = common::fragment_to_find(reference, storage);
    return found ? std::optional(std::string(*found)) : std::nullopt;
}

common::IdHashes hashes(std::initializer_list<std::string_view> ids) {
    common::IdHashes result;
    for (const std::string_view id : ids)
        result.push_back(common::hash_of_id(id));
    std::ranges::sort(result);
    return result;
}

} // namespace

TEST_CASE("a fragment is what follows the first '#'") {
    CHECK(fragment_to_find("/page.html#a") == "a");
    CHECK(fragment_to_find("#a#b?c/d") == "a#b?c/d");
    CHECK(fragment_to_find(" #a\n\tb ") == "ab");
    CHECK_FALSE(fragment_to_find("/page.html"));
}

TEST_CASE("some fragments need no element") {
    for (const char* const reference :
         {"#", "x#", "#top", "#TOP", "#t%6fp", "#:~:text=word", "#!/route", "#/route"})
        CHECK_FALSE(fragment_to_find(reference));
    CHECK(fragment_to_find("#a:~:text=word") == "a");
    CHECK(fragment_to_find("#topic") == "topic");
}

TEST_CASE("an id is found as it's written, or percent-decoded, and its case counts") {
    const auto ids = hashes({"a", "%20", "\xc3\xbc", "b c"});
    CHECK(is_indicated("a", ids));
    CHECK(is_indicated("%61", ids));
    CHECK(is_indicated("%20", ids)); // as it's written
    CHECK(is_indicated("\xc3\xbc", ids));
    CHECK(is_indicated("%C3%BC", ids));
    CHECK(is_indicated("b%20c", ids));
    CHECK_FALSE(is_indicated("A", ids));
    CHECK_FALSE(is_indicated("%2", ids));
    CHECK_FALSE(is_indicated("%zz", ids));
    CHECK_FALSE(is_indicated("a", {}));
}
