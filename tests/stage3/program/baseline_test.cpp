// Which dead URLs count: not those that are known, nor those that are ignored.
#include "common/web/malformed_url.h"
#include "stage3_queue_crawler/program/formats/baseline.h"
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

TEST_CASE("without a baseline, each dead URL counts") {
    Baseline baseline;
    CHECK(baseline.standing_of(dead("http://h/a")) == Standing::counts);
    CHECK(baseline.uncounted_dead() == 0);
}

TEST_CASE("what is dead and in the baseline is known") {
    Baseline baseline;
    baseline.read("\xef\xbb\xbf# old\r\n\r\nhttp://h/a\r\nHTTP://H:80/b#x%20y\n");
    CHECK(baseline.standing_of(dead("http://h/a")) == Standing::known);
    CHECK(baseline.standing_of(dead("http://h/a", "z")) == Standing::counts);
    CHECK(baseline.standing_of(dead("http://h/b")) == Standing::counts);
    CHECK(baseline.standing_of(dead("http://h/b", "x y")) == Standing::known);
    CHECK(baseline.standing_of(record("http://h/a", Outcome::unclear))
          == Standing::counts);
    CHECK(baseline.uncounted_dead() == 2);
    CHECK(baseline.uncounted_unclear() == 0);
}

TEST_CASE("an unclear place counts, and isn't said to be there again, unless ignored") {
    Baseline baseline;
    baseline.read("http://h/a#x\nhttp://h/a#y\n");
    baseline.read_ignored("http://h/a#z\n");
    baseline.standing_of(record("http://h/a", Outcome::file));
    CHECK(baseline.standing_of(record("http://h/a", Outcome::unclear, "x"))
          == Standing::counts);
    CHECK(baseline.standing_of(record("http://h/a", Outcome::unclear, "z"))
          == Standing::ignored);
    CHECK(baseline.revived(true) == std::vector<std::string>{"http://h/a#y"});
}

TEST_CASE("what isn't a URL can be known or ignored, too") {
    const auto malformed = [](std::string_view text) {
        Record made(*common::malformed_url(text));
        made.outcome = Outcome::failed;
        return made;
    };
    Baseline baseline;
    baseline.read("http://a%20b/\n//c d\n");
    baseline.read_ignored("http://e f/\nhttp://g:x\n^http://h[%]20i");
    CHECK(baseline.standing_of(malformed("http://a b/")) == Standing::known);
    CHECK(baseline.standing_of(malformed("//c d")) == Standing::known);
    CHECK(baseline.standing_of(malformed("http://a b/c")) == Standing::counts);
    CHECK(baseline.standing_of(malformed("http://e f/")) == Standing::ignored);
    CHECK(baseline.standing_of(malformed("http://g:x")) == Standing::ignored);
    CHECK(baseline.standing_of(malformed("http://h i")) == Standing::ignored);
    CHECK(baseline.write().ends_with("\n//c%20d\nhttp://a%20b/\nhttp://a%20b/c\n"));
}

TEST_CASE("what is in the baseline and alive now is mentioned") {
    Baseline baseline;
    baseline.read("http://h/\nhttp://h/b#x\nhttp://h/b#y\nhttp://h/c\n"
                  "http://h/d\nhttp://h/e\nhttp://h/bb\n");
    baseline.standing_of(record("http://h/", Outcome::redirect));
    baseline.standing_of(dead("http://h/b", "y")); // in whatever order they come
    baseline.standing_of(record("http://h/b", Outcome::page));
    baseline.standing_of(dead("http://h/c"));
    baseline.standing_of(record("http://h/d", Outcome::unclear));
    baseline.standing_of(record("http://h/e", Outcome::disallowed));
    CHECK(baseline.revived(true)
          == std::vector<std::string>{"http://h/", "http://h/b#x"});
    CHECK(baseline.revived(false) == std::vector<std::string>{"http://h/"});
}

TEST_CASE("a new baseline is sorted, has no spaces, and is read back") {
    Baseline baseline;
    baseline.read("http://h/old\nhttp://h/gone\n");
    baseline.read_ignored("http://h/ignored");
    for (const char* const url : {"http://h/z", "http://h/old", "http://h/ignored"})
        baseline.standing_of(dead(url));
    baseline.standing_of(dead("http://h/a", "x y\n\xc3"));
    baseline.standing_of(record("http://h/page", Outcome::page));
    const std::string text = baseline.write();
    CHECK(text
          == "# Known dead URLs, for stage3 --baseline.\n"
             "http://h/a#x%20y%0A%C3\nhttp://h/old\nhttp://h/z\n");
    Baseline again;
    again.read(text);
    CHECK(again.standing_of(dead("http://h/a", "x y\n\xc3")) == Standing::known);
}

TEST_CASE("what is ignored is a URL as it is, or whatever an expression is found in") {
    Baseline baseline;
    baseline.read_ignored("# not ours\nhttp://h/a?b=1\n  ^https?://other/  \n\\.png$\n");
    CHECK(baseline.standing_of(dead("http://h/a?b=1")) == Standing::ignored);
    CHECK(baseline.standing_of(dead("http://h/a?b=12")) == Standing::counts);
    CHECK(baseline.standing_of(dead("http://h/ab=1")) == Standing::counts);
    CHECK(baseline.standing_of(dead("https://other/x")) == Standing::ignored);
    CHECK(baseline.standing_of(dead("http://h/x.png")) == Standing::ignored);
    CHECK(baseline.standing_of(dead("http://h/xpng")) == Standing::counts);
    CHECK(baseline.standing_of(record("http://other/", Outcome::unclear))
          == Standing::ignored);
    CHECK(baseline.uncounted_dead() == 3);
    CHECK(baseline.uncounted_unclear() == 1);
}

TEST_CASE("a redirect that is taken for dead is known, ignored or new, and not alive") {
    Baseline baseline;
    baseline.read("http://h/old\nhttp://h/both\n");
    baseline.read_ignored("http://h/i\nhttp://h/both\n");
    const std::vector<std::pair<const char*, Standing>> redirects{
        {"http://h/old", Standing::known},
        {"http://h/both", Standing::ignored},
        {"http://h/i", Standing::ignored},
        {"http://h/new", Standing::counts}};
    for (const auto& [url, standing] : redirects)
        CHECK(baseline.standing_of(record(url, Outcome::redirect)) == Standing::counts);
    for (const auto& [url, standing] : redirects)
        CHECK(baseline.standing_of_redirect(url_of(url)) == standing);
    CHECK(baseline.uncounted_dead() == 3);
    CHECK(baseline.revived(true).empty());
    CHECK_FALSE(baseline.is_root_dead());
    CHECK(baseline.write().ends_with("baseline.\nhttp://h/new\nhttp://h/old\n"));
}

TEST_CASE("a root that is dead is noticed, and other dead URLs are no roots") {
    Baseline baseline;
    Record linked = dead("http://h/a");
    linked.parent = linked.url;
    baseline.standing_of(linked);
    baseline.standing_of(dead("http://h/page", "place"));
    CHECK_FALSE(baseline.is_root_dead());
    SUBCASE("itself") { baseline.standing_of(dead("http://h/")); }
    SUBCASE("at the end of its redirects") {
        Record moved = record("http://h/", Outcome::redirect);
        moved.next_url = "http://h/2";
        baseline.standing_of(moved);
        Record gone = dead("http://h/2");
        gone.parent = moved.url;
        baseline.standing_of(gone);
    }
    CHECK(baseline.is_root_dead());
}

TEST_CASE("a line that is wrong is named by its number") {
    Baseline baseline;
    CHECK_THROWS_WITH_AS(baseline.read("http://h/\nmailto:x"),
                         "line 2: 'mailto:x' is not a URL", std::invalid_argument);
    const std::string too_long = "http://h/" + std::string(10'000, 'x');
    CHECK_THROWS_WITH_AS(baseline.read_ignored("# x\n" + too_long),
                         ("line 2: '" + too_long + "' is not a URL").c_str(),
                         std::invalid_argument);
    try {
        baseline.read_ignored("\n(");
        CHECK(false);
    } catch (const std::invalid_argument& error) {
        CHECK(std::string(error.what())
                  .starts_with("line 2: '(' is not an extended regular expression: "));
    }
}
