// Which of a page's ids resembles a fragment.
#include "common/web/nearest_id.h"
#include "tests/support/prelude.h"

namespace {

std::string id_near(std::string_view fragment, const std::vector<const char*>& ids) {
    common::IdSet set;
    for (const char* const id : ids)
        set.insert(id);
    return common::nearest_id(fragment, set);
}

} // namespace

TEST_CASE("an id that differs in case, in separators or in one character is found") {
    CHECK(id_near("xpath", {"other", "XPath"}) == "XPath");
    CHECK(id_near("XPATH", {"XPath"}) == "XPath");
    CHECK(id_near("a-long-heading-of-a-page", {"A-Long-Heading-Of-A-Page"})
          == "A-Long-Heading-Of-A-Page");
    CHECK(id_near("getting-started", {"getting_started"}) == "getting_started");
    CHECK(id_near("Getting started", {"getting-started"}) == "getting-started");
    CHECK(id_near("instal", {"install"}) == "install");
    CHECK(id_near("installl", {"install"}) == "install");
    CHECK(id_near("isntall", {"install"}) == "install");
    CHECK(id_near("onstall", {"install"}) == "install");
    CHECK(id_near("section-1", {"section-2"}) == "section-2");
}

TEST_CASE("what resembles no id has none, and neither has a page with very many") {
    CHECK(id_near("xpath", {}).empty());
    CHECK(id_near("xpath", {"other"}).empty());
    CHECK(id_near("", {"x"}) == "x"); // one character more
    CHECK(id_near("install", {"uninstalled"}).empty());
    common::IdSet many;
    many.insert("XPath");
    for (int i = 0; i < 20'000; ++i)
        many.insert(std::to_string(i));
    CHECK(common::nearest_id("xpath", many).empty());
    CHECK(id_near(std::string(5000, 'x'), {"y"}).empty()); // soon
}
