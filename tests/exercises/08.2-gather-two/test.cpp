#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

using small::Coroutine;
using small::Future;
using small::FuturePtr;

/// Waits for the future, if there is one, and returns the word.
Coroutine<std::string> say(std::string word, FuturePtr future, int* begun) {
    ++*begun;
    if (future)
        co_await future;
    co_return word;
}

/// What came of a gather.
struct Result {
    bool ended = false;
    std::string text;
};

Coroutine<bool> run(Coroutine<std::string> a, Coroutine<std::string> b, Started* started,
                    Result* result) {
    const auto both = co_await gather(std::move(a), std::move(b), started);
    *result = {.ended = true, .text = both.first + " " + both.second};
    co_return true;
}

/// A gather of "a" and "b". One without a future ends at once.
struct Scene {
    Scene(FuturePtr a, FuturePtr b)
        : coroutine(run(say("a", std::move(a), &begun_a),
                        say("b", std::move(b), &begun_b), &started, &result)) {
        coroutine.start();
    }

    Started started;
    int begun_a = 0;
    int begun_b = 0;
    Result result;
    Coroutine<bool> coroutine; // last: it uses the others
};

FuturePtr pending() { return std::make_shared<Future>(); }

void check_result(const Scene& scene) {
    const bool right = scene.result.text == "a b";
    CHECK_MESSAGE(right, "The results come in the order given, whichever ended first. "
                         "They were: \""
                             << scene.result.text << "\"");
}

} // namespace

TEST_CASE("both coroutines run at the same time") {
    const FuturePtr a = pending();
    const FuturePtr b = pending();
    const Scene scene(a, b);
    CHECK_MESSAGE(scene.begun_a == 1, "a has not begun, or has begun twice. A coroutine "
                                      "begins when another one awaits it, or with "
                                      "start().");
    CHECK_MESSAGE(scene.begun_b == 1,
                  "a waits, and b has not begun, so they run one after the other. Start "
                  "both before you wait for either.");
    a->set_result("");
    CHECK_MESSAGE(!scene.result.ended,
                  "gather returned when a had ended. It has to wait for "
                  "b as well, which had not ended yet.");
    b->set_result("");
    CHECK(scene.result.ended);
    check_result(scene);
}

TEST_CASE("the results keep their order when the second ends first") {
    const FuturePtr a = pending();
    const FuturePtr b = pending();
    const Scene scene(a, b);
    b->set_result("");
    CHECK_FALSE(scene.result.ended);
    a->set_result("");
    CHECK_MESSAGE(scene.result.ended,
                  "b ended first and then a, and gather still waits.");
    check_result(scene);
}

TEST_CASE("gather does not wait for a coroutine that ends at once") {
    const FuturePtr a = pending();
    const Scene first(a, nullptr);
    a->set_result("");
    CHECK_MESSAGE(first.result.ended, "gather waits for b, though it had ended at once.");
    check_result(first);
    const FuturePtr b = pending();
    const Scene second(nullptr, b);
    b->set_result("");
    CHECK_MESSAGE(second.result.ended,
                  "gather waits for a, though it had ended at once.");
    check_result(second);
}

TEST_CASE("gather returns at once when both end at once") {
    const Scene scene(nullptr, nullptr);
    CHECK_MESSAGE(scene.result.ended,
                  "gather waits for something, though both had ended at once.");
    check_result(scene);
}
