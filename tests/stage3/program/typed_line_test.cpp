// What a report tells others of the command line.
#include "stage3_queue_crawler/program/typed_line.h"
#include "tests/support/prelude.h"

using stage3::typed_line;

TEST_CASE("what was typed is shown as it could be typed again") {
    CHECK(typed_line({"-w", "3", "--exclude", "/a b'c$", "http://h/@x"}, "")
          == "-w 3 --exclude '/a b'\\''c$' http://h/@x");
    CHECK(typed_line({"--html", ""}, "x.ini") == "--html '' and x.ini");
    CHECK(typed_line({}, "x.ini") == "x.ini");
    CHECK(typed_line({}, "").empty());
}

TEST_CASE("no secret is shown") {
    for (const std::string option : {"--header", "--frontier"}) {
        CHECK(typed_line({option, "secret", "h"}, "") == option + " *** h");
        CHECK(typed_line({option + "=secret", "h"}, "") == option + "=*** h");
        CHECK(typed_line({option, option, "h"}, "") == option + " *** h"); // a value, too
    }
    CHECK(typed_line({"--proxy", "http://user:secret@proxy:1"}, "")
          == "--proxy http://***@proxy:1");
    CHECK(typed_line({"--proxy=socks5://user:secret@proxy"}, "")
          == "--proxy=socks5://***@proxy");
    CHECK(typed_line({"--proxy=user:secret@proxy"}, "") == "--proxy=***@proxy");
    CHECK(typed_line({"user:secret@h/a@b"}, "") == "***@h/a@b");
    CHECK(typed_line({"http://user:s@e@h/?u=http://a@b"}, "")
          == "'http://***@h/?u=http://a@b'");
    CHECK(typed_line({"http://h?x=a@b"}, "") == "'http://h?x=a@b'");
    CHECK(typed_line({"--proxy", "http://proxy:1"}, "") == "--proxy http://proxy:1");
}
