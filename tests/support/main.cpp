// The one `main` of every test program.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

namespace {

unsigned cases_run = 0;

struct Counter : doctest::IReporter {
    explicit Counter(const doctest::ContextOptions& /*options*/) {}
    void test_case_start(const doctest::TestCaseData& /*test_case*/) override {
        ++cases_run;
    }

    void report_query(const doctest::QueryData& /*query*/) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& /*stats*/) override {}
    void test_case_reenter(const doctest::TestCaseData& /*test_case*/) override {}
    void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
    void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
    void subcase_start(const doctest::SubcaseSignature& /*subcase*/) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData& /*assertion*/) override {}
    void log_message(const doctest::MessageData& /*message*/) override {}
    void test_case_skipped(const doctest::TestCaseData& /*test_case*/) override {}
};

REGISTER_LISTENER("counter", 1, Counter);

} // namespace

/// Like doctest's own, but running no test at all is a failure, so that a name of a file
/// or a case that doesn't exist is noticed (meson.build has such names).
int main(int argc, char** argv) {
    doctest::Context context(argc, argv);
    const int status = context.run();
    if (context.shouldExit() || cases_run > 0) // asked for help or a list; or tests ran
        return status;
    std::fputs("No test case was run: none has these names.\n", stderr);
    return 1;
}
