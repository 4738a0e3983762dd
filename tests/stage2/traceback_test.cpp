#include "common/trace/stack_trace.h"
#include "stage2_coroutines/traceback.h"
#include "tests/support/prelude.h"

using namespace stage2;

namespace {

/// What is said of a task that failed with what `fail` throws.
std::string description(const std::function<void()>& fail,
                        const std::vector<Place>& way = {}) {
    try {
        try {
            fail();
        } catch (...) {
            throw TaskFailed(way);
        }
    } catch (const TaskFailed& failure) {
        return describe(failure);
    }
    return "nothing was thrown";
}

/// An error that seems to come from two plain functions inside a coroutine.
struct Snow : common::TracedError {
    Snow() : common::TracedError("it snows") {
        stack = {"inner", "outer", "stage2::Generator<int>::resume", "main"};
    }
};

} // namespace

TEST_CASE("a failure is described from the outermost coroutine to the exception") {
    const auto function = std::source_location::current();
    const auto here = std::source_location::current();
    const std::string text = description([] { throw std::runtime_error("it rains"); },
                                         {Place{function, here}, Place{function, here}});
    CAPTURE(text);
    CHECK(text.starts_with("the coroutines that led here"));
    CHECK(text.find("waiting at traceback_test.cpp:") < text.find("resumed at"));
    CHECK(text.ends_with("\nit rains"));
}

TEST_CASE("plain calls are listed below the coroutines, outermost first") {
    const std::string text = description([] { throw Snow(); });
    CAPTURE(text);
    CHECK(text.find("  outer\n  inner\n") != std::string::npos);
    CHECK(text.find("main") == std::string::npos);
    CHECK(text.ends_with("it snows"));
}

TEST_CASE("an exception that is no std::exception is described as such") {
    CHECK(description([] { throw 7; }).ends_with("no std::exception"));
}
