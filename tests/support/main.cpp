// The one `main` of every test program.
#include "tests/support/every_order.h"
#include "tests/support/waits.h"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

unsigned cases_run = 0;
unsigned cases_too_slow = 0; // see waits.h

struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions& /*options*/) {}
    void test_case_start(const doctest::TestCaseData& test_case) override {
        ++cases_run;
        current = &test_case;
        tests::start_counting_waits();
    }
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
        if (stats.failure_flags != 0)
            tests::note_failed_case();
        const auto [waited, allowed] = tests::waits();
        if (waited <= allowed || std::getenv("LIMIT_WAITS") == nullptr)
            return;
        ++cases_too_slow;
        const auto seconds = [](auto time) {
            return std::chrono::duration<double>(time).count();
        };
        std::fprintf(stderr,
                     "%s:%u: \"%s\" FAILED: it waited for %.2f s of real time, and may "
                     "for %.2f s.\n  Let time be virtual "
                     "(tests/support/virtual_time.h), wait for an event, or say in "
                     "the case\n  why it must wait: tests::may_wait(2s, \"...\"), from "
                     "tests/support/waits.h.\n",
                     current->m_file.c_str(), current->m_line, current->m_name,
                     seconds(waited), seconds(allowed));
    }

    void report_query(const doctest::QueryData& /*query*/) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& /*stats*/) override {}
    void test_case_reenter(const doctest::TestCaseData& /*test_case*/) override {}
    void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
    void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData& /*assertion*/) override {}
    void log_message(const doctest::MessageData& /*message*/) override {}
    void test_case_skipped(const doctest::TestCaseData& /*test_case*/) override {}

    const doctest::TestCaseData* current = nullptr;
};

REGISTER_LISTENER("counter", 1, Counter);

} // namespace

/// Like doctest's own, but running no test at all is a failure, so that a name of a file
/// or a case that doesn't exist is noticed (meson.build has such names). And so is a case
/// that waits too long, if LIMIT_WAITS is set: see waits.h.
int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int status = context.run();
    if (context.shouldExit() || cases_run > 0) // asked for help or a list; or tests ran
        return status == 0 && cases_too_slow > 0 ? 1 : status;
    std::fputs("No test case was run: none has these names.\n", stderr);
    return 1;
}
