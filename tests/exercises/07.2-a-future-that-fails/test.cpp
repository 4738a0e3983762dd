// start fails in: a future that fails is done
// start fails with: set_exception is an end
#include "exercise.h"

#include <doctest/doctest.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace {

std::exception_ptr rain() {
    return std::make_exception_ptr(std::runtime_error("it rains"));
}

/// What an action throws, in a word.
template <class Action>
std::string thrown_by(Action action) {
    try {
        action();
    } catch (const InvalidState&) {
        return "InvalidState";
    } catch (const std::exception& error) {
        return error.what();
    }
    return "nothing";
}

} // namespace

TEST_CASE("a future that succeeds works as before") {
    const auto future = make_your_future();
    CHECK_FALSE(future->done());
    CHECK(thrown_by([&] { future->result(); }) == "InvalidState");
    std::string seen;
    future->add_done_callback([&](const FailingFuture& done) { seen = done.result(); });
    future->set_result("sun");
    CHECK(future->done());
    CHECK(seen == "sun");
    CHECK(future->result() == "sun");
}

TEST_CASE("a future that fails is done") {
    const auto future = make_your_future();
    future->set_exception(rain());
    REQUIRE_MESSAGE(future->done(),
                    "set_exception is an end like set_result: the future is "
                    "done then.");
    const std::string thrown = thrown_by([&] { future->result(); });
    CHECK_MESSAGE(thrown == "it rains",
                  "the exception comes out of result(): whoever asks for a result that "
                  "can't be had must hear of it. result() threw: "
                      << thrown);
    CHECK(thrown_by([&] { future->result(); }) == "it rains"); // each time
}

TEST_CASE("exception() tells, and throws nothing") {
    const auto pending = make_your_future();
    const std::string early = thrown_by([&] { static_cast<void>(pending->exception()); });
    CHECK_MESSAGE(
        early == "InvalidState",
        "whether there will be an exception is not known yet, so exception() of "
        "a pending future throws InvalidState.");
    const auto good = make_your_future();
    good->set_result("sun");
    const bool none = good->exception() == nullptr;
    CHECK_MESSAGE(none, "a future with a result has no exception.");
    const auto bad = make_your_future();
    bad->set_exception(rain());
    const bool some = bad->exception() != nullptr;
    CHECK_MESSAGE(some, "a future that failed tells its exception.");
}

TEST_CASE("those who wait are called, however it ends") {
    const auto future = make_your_future();
    int called = 0;
    for (int i = 0; i < 2; ++i)
        future->add_done_callback(
            [&](const FailingFuture& done) { called += done.done() ? 1 : 0; });
    future->set_exception(rain());
    CHECK_MESSAGE(called == 2,
                  "the future failed, two callbacks waited for its end, and "
                      << (called == 0 ? std::string("nobody was called")
                                      : std::to_string(called) + " were called")
                      << ". A task that waits for it would sleep for ever.");
}

TEST_CASE("there is one end only") {
    const auto good = make_your_future();
    good->set_result("sun");
    const auto bad = make_your_future();
    bad->set_exception(rain());
    const std::string advice =
        ": a second end is an error (InvalidState), and the first outcome stands.";
    for (const bool fails : {false, true}) {
        for (FailingFuture* future : {good.get(), bad.get()}) {
            const std::string thrown = thrown_by([&] {
                if (fails)
                    future->set_exception(rain());
                else
                    future->set_result("snow");
            });
            CHECK_MESSAGE(thrown == "InvalidState",
                          "the second end threw " << thrown << advice);
        }
    }
    CHECK_MESSAGE(thrown_by([&] { good->result(); }) == "nothing",
                  "there was a result" << advice);
    CHECK_MESSAGE(thrown_by([&] { bad->result(); }) == "it rains",
                  "there was an exception" << advice);
}
