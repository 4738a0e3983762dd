// Which of asyncio's promises stage 2's Future keeps, by their numbers F1, F2 ... in
// tests/stage3/runtime/conformance.txt, and which it doesn't ("not F10"). Stage 3's
// Future keeps those as well.
#include "stage2_coroutines/future.h"
#include "tests/support/prelude.h"

using namespace stage2;
using Log = std::vector<std::string>;

namespace {

template <class F>
concept CanFail = requires(F future) {
    future.set_exception(std::exception_ptr());
    future.exception();
};
template <class F>
concept FutureCanBeCancelled = requires(F future) { future.cancel(); };
template <class F, class Result>
concept CanHold = requires(F future, Result result) { future.set_result(result); };

} // namespace

TEST_CASE("F1: a new future is pending") { CHECK_FALSE(Future().done()); }

TEST_CASE("F2: asking for the result too early is an error") {
    const Future future;
    CHECK_THROWS_AS(static_cast<void>(future.result()), InvalidState);
}

TEST_CASE("F3: set_result makes a future done, and the result stays") {
    Future future;
    future.set_result("a");
    CHECK(future.done());
    CHECK(future.result() == "a");
    CHECK(future.result() == "a");
}

TEST_CASE("F4: a second result is an error, and the first one is kept") {
    Future future;
    future.set_result("first");
    CHECK_THROWS_AS(future.set_result("second"), InvalidState);
    CHECK(future.result() == "first");
}

TEST_CASE("F11: callbacks run in the order added, each once, with the future") {
    Future future;
    Log log;
    const Future* seen = nullptr;
    for (const char* name : {"a", "b", "c"})
        future.add_done_callback([&log, &seen, name](const Future& done) {
            log.push_back(name + done.result());
            seen = &done;
        });
    CHECK(log.empty());
    future.set_result("!");
    CHECK(log == Log{"a!", "b!", "c!"});
    CHECK(seen == &future);
    CHECK_THROWS_AS(future.set_result("again"), InvalidState);
    CHECK(log.size() == 3);
}

TEST_CASE("a future can be destroyed in its last callback") {
    auto future = std::make_shared<Future>();
    bool called = false;
    future->add_done_callback([&](const Future&) { called = true; });
    const stage2::FuturePtr held = future; // as the code that resolves it does
    future->add_done_callback([&](const Future&) { future.reset(); });
    held->set_result("");
    CHECK(called);
    CHECK(held.use_count() == 1);
}

TEST_SUITE("kept wrong on purpose") {
    TEST_CASE("not F10: callbacks run inside set_result") {
        Future future;
        Log log;
        future.add_done_callback([&](const Future&) { log.emplace_back("callback"); });
        log.emplace_back("before");
        future.set_result("");
        log.emplace_back("after");
        CHECK(log == Log{"before", "callback", "after"}); // F10: before, after, callback
    }

    TEST_CASE("not F13: a callback that is added too late is never called") {
        Future future;
        future.set_result("");
        bool called = false;
        future.add_done_callback([&](const Future&) { called = true; });
        CHECK_FALSE(called); // F13: called in the loop's next turn
    }

    TEST_CASE("not F5 to F9: a future can neither fail nor be cancelled") {
        CHECK_FALSE(CanFail<Future>);
        CHECK_FALSE(FutureCanBeCancelled<Future>);
    }

    TEST_CASE("a future's result can only be a string") {
        CHECK(CanHold<Future, std::string>);
        CHECK_FALSE(CanHold<Future, std::vector<int>>);
    }
}
