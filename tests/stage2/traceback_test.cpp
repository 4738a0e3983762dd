#include "common/trace/stack_trace.h"
#include "stage2_coroutines/traceback.h"
#include "tests/support/prelude.h"

using namespace stage2;

TEST_CASE("a failure is described from the outermost coroutine to the exception") {
    const auto function = std::source_location::current();
    const auto here = std::source_location::current();
    try {
        try {
            throw std::runtime_error("it rains");
        } catch (...) {
            throw TaskFailed({Place{function, here}, Place{function, here}});
        }
    } catch (const TaskFailed& failure) {
        const std::string text = describe(failure);
        CAPTURE(text);
        CHECK(text.starts_with("the coroutines that led here"));
        CHECK(text.find("waiting at traceback_test.cpp:") < text.find("resumed at"));
        CHECK(text.ends_with("\nit rains"));
    }
}

namespace {

/// Throws an error that seems to come from two plain functions inside a coroutine.
void throw_with_stack() {
    struct Snow : common::TracedError {
        Snow() : common::TracedError("it snows") {
            stack = {"inner", "outer", "stage2::Generator<int>::resume", "main"};
        }
    };
    throw Snow();
}

} // namespace

TEST_CASE("plain calls are listed below the coroutines, outermost first") {
    try {
        try {
            throw_with_stack();
        } catch (...) {
            throw TaskFailed({});
        }
    } catch (const TaskFailed& failure) {
        const std::string text = describe(failure);
        CAPTURE(text);
        CHECK(text.find("  outer\n  inner\n") != std::string::npos);
        CHECK(text.find("main") == std::string::npos);
        CHECK(text.ends_with("it snows"));
    }
}

TEST_CASE("an exception that is no std::exception is described as such") {
    try {
        try {
            throw 7;
        } catch (...) {
            throw TaskFailed({});
        }
    } catch (const TaskFailed& failure) {
        CHECK(describe(failure).ends_with("no std::exception"));
    }
}
