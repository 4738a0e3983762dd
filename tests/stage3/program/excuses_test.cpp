// Which dead URLs count: not those that are known, nor those that are ignored.
#include "stage3_queue_crawler/program/formats/excuses.h"
#include "tests/support/prelude.h"
#include "tests/support/url.h"

using namespace stage3;
using tests::url_of;

namespace {

Record record(const std::string& url, Outcome outcome, const std::string& place = "") {
    Record made(url_of(url));
    made.outcome = outcome;
    made.fragment = place;
    return made;
}

Record dead(const std::string& url, const std::string& place = "") {
    return record(url, Outcome::error, place);
}

} // namespace

TEST_CASE("without excuses, each dead URL counts") {
    Excuses excuses;
    CHECK(excuses.standing_of(dead("http://h/a")) == Standing::counts);
    CHECK(excuses.excused_dead() == 0);
}

TEST_CASE("what is dead and in the baseline is known") {
    Excuses excuses;
    excuses.read_baseline("\xef\xbb\xbf# old\r\n\r\nhttp://h/a\r\nHTTP://H:80/b#x%20y\n");
    CHECK(excuses.standing_of(dead("http://h/a")) == Standing::known);
    CHECK(excuses.standing_of(dead("http://h/a", "z")) == Standing::counts);
    CHECK(excuses.standing_of(dead("http://h/b")) == Standing::counts);
    CHECK(excuses.standing_of(dead("http://h/b", "x y")) == Standing::known);
    CHECK(excuses.standing_of(record("http://h/a", Outcome::unclear))
          == Standing::counts);
    CHECK(excuses.excused_dead() == 2);
    CHECK(excuses.excused_unclear() == 0);
}

TEST_CASE("what is in the baseline and alive now is mentioned") {
    Excuses excuses;
    excuses.read_baseline("http://h/\nhttp://h/b#x\nhttp://h/b#y\nhttp://h/c\n"
                          "http://h/d\nhttp://h/e\nhttp://h/bb\n");
    excuses.standing_of(record("http://h/", Outcome::redirect));
    excuses.standing_of(dead("http://h/b", "y")); // in whatever order they come
    excuses.standing_of(record("http://h/b", Outcome::page));
    excuses.standing_of(dead("http://h/c"));
    excuses.standing_of(record("http://h/d", Outcome::unclear));
    excuses.standing_of(record("http://h/e", Outcome::disallowed));
    CHECK(excuses.revived(true) == std::vector<std::string>{"http://h/", "http://h/b#x"});
    CHECK(excuses.revived(false) == std::vector<std::string>{"http://h/"});
}

TEST_CASE("a new baseline is sorted, has no spaces, and is read back") {
    Excuses excuses;
    excuses.read_baseline("http://h/old\nhttp://h/gone\n");
    excuses.read_ignored("http://h/ignored");
    for (const char* const url : {"http://h/z", "http://h/old", "http://h/ignored"})
        excuses.standing_of(dead(url));
    excuses.standing_of(dead("http://h/a", "x y\n\xc3"));
    excuses.standing_of(record("http://h/page", Outcome::page));
    const std::string text = excuses.write_baseline();
    CHECK(text
          == "# Known dead URLs, for stage3 --baseline.\n"
             "http://h/a#x%20y%0A%C3\nhttp://h/old\nhttp://h/z\n");
    Excuses again;
    again.read_baseline(text);
    CHECK(again.standing_of(dead("http://h/a", "x y\n\xc3")) == Standing::known);
}

TEST_CASE("what is ignored is a URL as it is, or whatever an expression is found in") {
    Excuses excuses;
    excuses.read_ignored("# not ours\nhttp://h/a?b=1\n  ^https?://other/  \n\\.png$\n");
    CHECK(excuses.standing_of(dead("http://h/a?b=1")) == Standing::ignored);
    CHECK(excuses.standing_of(dead("http://h/a?b=12")) == Standing::counts);
    CHECK(excuses.standing_of(dead("http://h/ab=1")) == Standing::counts);
    CHECK(excuses.standing_of(dead("https://other/x")) == Standing::ignored);
    CHECK(excuses.standing_of(dead("http://h/x.png")) == Standing::ignored);
    CHECK(excuses.standing_of(dead("http://h/xpng")) == Standing::counts);
    CHECK(excuses.standing_of(record("http://other/", Outcome::unclear))
          == Standing::ignored);
    CHECK(excuses.excused_dead() == 3);
    CHECK(excuses.excused_unclear() == 1);
}

TEST_CASE("a root that is dead is noticed, and other dead URLs are no roots") {
    Excuses excuses;
    Record linked = dead("http://h/a");
    linked.parent = linked.url;
    excuses.standing_of(linked);
    excuses.standing_of(dead("http://h/page", "place"));
    CHECK_FALSE(excuses.is_root_dead());
    SUBCASE("itself") { excuses.standing_of(dead("http://h/")); }
    SUBCASE("at the end of its redirects") {
        Record moved = record("http://h/", Outcome::redirect);
        moved.next_url = "http://h/2";
        excuses.standing_of(moved);
        Record gone = dead("http://h/2");
        gone.parent = moved.url;
        excuses.standing_of(gone);
    }
    CHECK(excuses.is_root_dead());
}

TEST_CASE("a line that is wrong is named by its number") {
    Excuses excuses;
    CHECK_THROWS_WITH_AS(excuses.read_baseline("http://h/\nmailto:x"),
                         "line 2: 'mailto:x' is not a URL", std::invalid_argument);
    CHECK_THROWS_WITH_AS(excuses.read_ignored("# x\nhttp://h:99999/"),
                         "line 2: 'http://h:99999/' is not a URL", std::invalid_argument);
    try {
        excuses.read_ignored("\n(");
        CHECK(false);
    } catch (const std::invalid_argument& error) {
        CHECK(std::string(error.what())
                  .starts_with("line 2: '(' is not an extended regular expression: "));
    }
}
