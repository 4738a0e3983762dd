#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

/// `expected`: each URL in brackets.
void check(std::string_view srcset, std::string_view expected,
           const std::string& advice) {
    std::string result;
    for (const std::string& image : images_of(srcset))
        result += "[" + image + "]";
    const bool right = result == expected;
    CHECK_MESSAGE(right, "\"" << std::string(srcset) << "\" became " << result << ": "
                              << advice);
}

} // namespace

TEST_CASE("sizes are left out") {
    check("a.png 2x", "[a.png]", "a URL ends at the next blank.");
    check("a.png 1x, b.png 2x", "[a.png][b.png]", "a size ends at the next comma.");
    check("a.png\n100w 50h,\nb.png", "[a.png][b.png]",
          "a line's end is a blank, and a size may have several parts.");
    check("a.png", "[a.png]", "a URL may be all there is.");
}

TEST_CASE("commas may be part of a URL") {
    check("a,b.png 1x", "[a,b.png]", "only a blank ends a URL.");
    check("data:image/png;base64,AA 1x, c.png", "[data:image/png;base64,AA][c.png]",
          "only a blank ends a URL.");
}

TEST_CASE("commas at the end of a URL are no part of it") {
    check("a.png,", "[a.png]", "commas at the end of a URL separate it from the next.");
    check("a.png, b.png", "[a.png][b.png]",
          "a URL that ended in a comma has no size, so the next URL follows.");
    check("a.png,, b.png 2x, c.png", "[a.png][b.png][c.png]",
          "a URL that ended in a comma has no size, so the next URL follows.");
}

TEST_CASE("there may be nothing") {
    check("", "", "an empty text has no URL.");
    check(" , ,", "", "blanks and commas are no URL.");
}
