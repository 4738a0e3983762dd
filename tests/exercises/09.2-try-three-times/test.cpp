#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

using stage2::Coroutine;
using stage2::Future;
using stage2::FuturePtr;

/// What the attempts do: "reset" fails as networks do, "bug" fails in another way, and
/// anything else is returned.
struct Story {
    std::vector<std::string> attempts;
    std::size_t made = 0;
};

Coroutine<std::string> attempt_of(Story* story) {
    const std::size_t number = story->made++;
    std::string word = co_await std::make_shared<Future>(); // each waits a little
    word = number < story->attempts.size() ? story->attempts[number] : "too many";
    if (word == "reset")
        throw std::system_error(std::make_error_code(std::errc::connection_reset));
    if (word == "bug")
        throw std::logic_error("bug");
    co_return word;
}

/// Runs it to its end, as a task would, and returns what came of it.
std::string run(Story& story) {
    auto coroutine = try_three_times([&story] { return attempt_of(&story); });
    try {
        auto reply = coroutine.next();
        for (int waits = 0; reply.yielded && waits < 20; ++waits)
            reply = coroutine.send("");
        return reply.returned.value_or("it never ends");
    } catch (const std::system_error&) {
        return "threw: reset";
    } catch (const std::logic_error& error) {
        return std::string("threw: ") + error.what();
    }
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
