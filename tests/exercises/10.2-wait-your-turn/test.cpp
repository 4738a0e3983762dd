// start fails in: nobody is called inside set_result
// start fails with: called inside set_result
#include "exercise.h"

#include <doctest/doctest.h>

#include <string>

namespace {

struct Story {
    Line line;
    std::string told;
    std::unique_ptr<PatientFuture> future = make_your_future(line);

    PatientFuture::Callback telling(const std::string& name) {
        return [this, name](const std::string& result) { told += name + result + " "; };
    }
};

} // namespace

TEST_CASE("nobody is called inside set_result") {
    Story story;
    story.future->add_done_callback(story.telling("a"));
    story.future->set_result("1");
    CHECK_MESSAGE(
        story.told.empty(),
        "a callback was called inside set_result. Whoever resolves a future must "
        "not have to expect that: put the call into the line.");
    story.line.turn();
    CHECK_MESSAGE(story.told == "a1 ", "one turn later, the callback has been called.");
    story.line.turn();
    CHECK_MESSAGE(story.told == "a1 ", "each callback is called once.");
}

TEST_CASE("in their order") {
    Story story;
    for (const char* name : {"a", "b", "c"})
        story.future->add_done_callback(story.telling(name));
    story.future->set_result("1");
    story.line.turn();
    CHECK_MESSAGE(story.told == "a1 b1 c1 ", "callbacks run in the order in which they "
                                             "were added, all in one turn. Yours: "
                                                 << story.told);
}

TEST_CASE("nobody comes too late") {
    Story story;
    story.future->set_result("1");
    story.line.turn();
    story.future->add_done_callback(story.telling("late"));
    CHECK_MESSAGE(story.told.empty(),
                  "who comes late is not called inside add_done_callback: not at once "
                  "either, but in the next turn.");
    story.line.turn();
    CHECK_MESSAGE(
        story.told == "late1 ",
        "a callback that comes too late for set_result was never called. Is the "
        "future done already? Then put it into the line at once.");
}

TEST_CASE("the first result stands") {
    Story story;
    story.future->set_result("1");
    CHECK_THROWS_AS(story.future->set_result("2"), std::logic_error);
    story.future->add_done_callback(story.telling("a"));
    story.line.turn();
    CHECK(story.told == "a1 ");
}

TEST_CASE("the future may go before its callbacks") {
    // A stand-in for what the sanitizers would say: the memory is overwritten at its end.
    Story story;
    story.future->add_done_callback(story.telling("a long name for a callback "));
    story.future->set_result(
        "and a result that is too long to be kept inside the string");
    const std::string expected =
        "a long name for a callback and a result that is too long "
        "to be kept inside the string ";
    story.future.reset();
    const auto another = make_your_future(story.line); // in the same place, perhaps
    story.line.turn();
    CHECK_MESSAGE(
        story.told == expected,
        "the future was gone when its callbacks were called. What stands in the "
        "line must hold all that it needs: the callback and the result, not "
        "`this`.");
}
