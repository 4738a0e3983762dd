#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

void check(std::string_view path, std::string_view expected, const std::string& advice) {
    const std::string result = without_dots(path);
    const bool right = result == expected;
    CHECK_MESSAGE(right, "\"" << std::string(path) << "\" became \"" << result
                              << "\": " << advice);
}

} // namespace

TEST_CASE("single dots are taken out") {
    check("/a/./b", "/a/b", "the dot is still there, or too much is gone.");
    check("/./a", "/a", "the dot is still there, or too much is gone.");
    check("/a", "/a", "there was nothing to take out.");
    check("/", "/", "an empty segment is a segment like any other.");
}

TEST_CASE("double dots take out the segment before them") {
    check("/a/b/../c", "/a/c", "two dots take out the segment in front of them.");
    check("/a/b/../../c", "/c", "two dots take out the segment in front of them.");
    check("/../a", "/a",
          "two dots take out the segment in front of them; here, there is nothing in "
          "front of them.");
}

TEST_CASE("dots at the end leave a folder") {
    const std::string advice = "if the last segment consists of dots, the result is a "
                               "folder, and ends in a slash.";
    check("/a/b/..", "/a/", advice);
    check("/a/.", "/a/", advice);
    check("/..", "/", advice);
    check("/a/", "/a/", "there was nothing to take out.");
}

TEST_CASE("encoded dots count as dots") {
    const std::string advice = "\"%2e\" is another spelling of a dot, in a segment that "
                               "consists of nothing else.";
    check("/a/%2e/b", "/a/b", advice);
    check("/a/.%2E/b", "/b", advice);
    check("/a/%2e%2e", "/", advice);
    check("/a/%2eb/...", "/a/%2eb/...", "these mean something else, and stay.");
}

TEST_CASE("empty segments are kept") {
    check("/a//b", "/a//b", "an empty segment is a segment like any other.");
    check("/a//../b", "/a/b", "an empty segment is a segment like any other.");
}
