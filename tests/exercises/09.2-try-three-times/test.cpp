#include "exercise.h"
#include "stage2_coroutines/small/future.h"
#include "tests/support/prelude.h"

namespace {

using small::Coroutine;
using small::Future;
using small::FuturePtr;

/// What the attempts do: "reset" fails as networks do, "bug" fails in another way, and
/// anything else is returned.
struct Story {
    std::vector<std::string> attempts;
    std::size_t made = 0;
    FuturePtr waiting = nullptr; // what an attempt waits for
};

Coroutine<std::string> attempt_of(Story* story) {
    const std::size_t number = story->made++;
    story->waiting = std::make_shared<Future>();
    co_await story->waiting; // each waits a little
    const std::string word =
        number < story->attempts.size() ? story->attempts[number] : "too many";
    if (word == "reset")
        throw std::system_error(std::make_error_code(std::errc::connection_reset));
    if (word == "bug")
        throw std::logic_error("bug");
    co_return word;
}

/// Awaits all attempts, and tells what came of them.
Coroutine<bool> tell(Story* story, std::string* end) {
    const Attempt attempt = [story] { return attempt_of(story); };
    try {
        *end = co_await try_three_times(attempt);
    } catch (const std::system_error&) {
        *end = "threw: reset";
    } catch (const std::logic_error& error) {
        *end = std::string("threw: ") + error.what();
    }
    co_return true;
}

/// Runs it to its end, as a loop would, and returns what came of it.
std::string run(Story& story) {
    std::string end = "it never ends";
    auto coroutine = tell(&story, &end);
    coroutine.start();
    for (int waits = 0; story.waiting && waits < 20; ++waits)
        std::exchange(story.waiting, nullptr)->set_result("");
    return end;
}

} // namespace

TEST_CASE("a first attempt that works is the only one") {
    Story story{{"page"}};
    CHECK(run(story) == "page");
    CHECK(story.made == 1);
}

TEST_CASE("an attempt that fails in the network is made again") {
    for (const auto& attempts : {std::vector<std::string>{"reset", "page"},
                                 std::vector<std::string>{"reset", "reset", "page"}}) {
        Story story{attempts};
        const std::string end = run(story);
        CHECK_MESSAGE(end == "page",
                      "the first failure came out, or was lost, though another "
                      "attempt would have worked. The outcome was: "
                          << end);
        CHECK(story.made == attempts.size());
    }
}

TEST_CASE("the third failure is the last and is thrown") {
    Story story{{"reset", "reset", "reset", "page"}};
    const std::string end = run(story);
    CHECK_MESSAGE(story.made == 3,
                  story.made << " attempts were made, and it should be three.");
    const bool told = end == "threw: reset" || end == "page";
    CHECK_MESSAGE(told, "three attempts failed, and no exception came out, so the caller "
                        "thinks that all is well. The outcome was: \""
                            << end << "\"");
}

TEST_CASE("other errors are thrown at once") {
    Story story{{"bug", "page"}};
    const std::string end = run(story);
    CHECK_MESSAGE(end == "threw: bug",
                  "this was not a failure of the network: another attempt won't cure it, "
                  "and would hide it. The outcome was: "
                      << end);
    CHECK(story.made == 1);
}
