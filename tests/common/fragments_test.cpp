#include "common/web/fragments.h"
#include "tests/support/prelude.h"

namespace {

std::optional<std::string> fragment_to_find(std::string_view reference) {
    std::string storage;
    const auto found = common::fragment_to_find(reference, storage);
    return found ? std::optional(std::string(*found)) : std::nullopt;
}

common::IdSet set_of(std::initializer_list<std::string_view> ids) {
    common::IdSet result;
    for (const std::string_view id : ids)
        result.insert(id);
    return result;
}

bool is_indicated(std::string_view fragment, const common::IdSet& ids) {
    return common::is_indicated(common::Fragment(fragment), ids);
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
         {"#", "x#", "#top", "#TOP", "#t%6fp", "#:~:text=word", "#!/route", "#/route",
          "#svgView(viewBox(0,0,9,9))"})
        CHECK_FALSE(fragment_to_find(reference));
    CHECK(fragment_to_find("#a:~:text=word") == "a");
    CHECK(fragment_to_find("#topic") == "topic");
}

TEST_CASE("an id is found as it's written, or percent-decoded, and its case counts") {
    const auto ids = set_of({"a", "%20", "\xc3\xbc", "b c"});
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

TEST_CASE("an id of other people's text has a prefix") {
    const auto ids = set_of({"user-content-a", "user-content-b c", "user-content-%20"});
    CHECK(is_indicated("a", ids));
    CHECK(is_indicated("b%20c", ids));
    CHECK(is_indicated("user-content-a", ids));
    CHECK_FALSE(is_indicated("content-a", ids));
    CHECK_FALSE(is_indicated("A", ids));
    CHECK_FALSE(is_indicated("%20", ids)); // a script sees what is decoded
}

TEST_CASE("a set of ids has each once, however many there are") {
    common::IdSet ids;
    CHECK_FALSE(ids.contains(common::hash_of_id("0")));
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 10'000; ++i)
            ids.insert(std::to_string(i));
    CHECK(ids.size() == 10'000);
    for (int i = 0; i < 10'000; ++i)
        CHECK(ids.contains(common::hash_of_id(std::to_string(i))));
    CHECK_FALSE(ids.contains(common::hash_of_id("10000")));
}

TEST_CASE("lines of code and values are for scripts, and ids aren't") {
    for (const char* const text : {"L1", "L10", "L10-L20", "L10-20", "L10C3-L20C5",
                                   "page=3", "t=1m30s", "gid=0&range=A1"})
        CHECK_MESSAGE(common::is_for_scripts(text), text);
    for (const char* const text : {"", "L", "Lists", "L10-", "L10x", "L-10", "l10", "C1",
                                   "L10C", "L1-L", "install", "issuecomment-1"})
        CHECK_MESSAGE(!common::is_for_scripts(text), text);
}
