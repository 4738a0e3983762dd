#include "common/trace/place.h"
#include "tests/support/prelude.h"

#include <source_location>

using namespace common;

TEST_CASE("short_name strips everything around a function's name") {
    // As g++ and clang++ write them.
    CHECK(short_name("int main()") == "main");
    CHECK(short_name("stage2::Generator<int, int> stage2::count(int)")
          == "stage2::count");
    CHECK(short_name("Generator<std::pair<int, void (*)(int)>> {anonymous}::f(int, char)")
          == "f");
    CHECK(short_name("Coroutine<> stage2::(anonymous namespace)::g(Url)") == "stage2::g");
    CHECK(short_name("Coroutine<std::string> stage2::read(EventLoop &, Socket &)")
          == "stage2::read");
    CHECK(short_name("Coroutine<> use(T) [with T = int]") == "use");
    CHECK(short_name("nonsense") == "nonsense");
    CHECK(short_name("").empty());
}

TEST_CASE("the middle of a chain of thousands is left out") {
    const auto function = std::source_location::current();
    const auto here = std::source_location::current();
    const std::string text =
        common::describe(std::vector<Place>(5000, Place{function, here}));
    CHECK(std::ranges::count(text, '\n') == 101);
    CHECK(text.find("... and 4900 more ...") != std::string::npos);
    CHECK(text.find("resumed at") > text.rfind("waiting at"));

    const std::string whole =
        common::describe(std::vector<Place>(100, Place{function, here}));
    CHECK(std::ranges::count(whole, '\n') == 100);
    CHECK(whole.find("more") == std::string::npos);
}

TEST_CASE("a coroutine that has reached no co_await has no line to show") {
    const auto function = std::source_location::current();
    const auto line = std::source_location::current();
    const std::string text = common::describe({{function, line}, {function, function}});
    CHECK(text.find("waiting at place_test.cpp:") != std::string::npos);
    CHECK(text.ends_with(", before its first co_await, in place_test.cpp\n"));
}
