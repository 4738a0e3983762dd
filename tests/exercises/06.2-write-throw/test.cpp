#include "exercise.h"
#include "tests/support/prelude.h"

namespace {

/// Talks to a generator, and returns its reply in words: a number, "end", or what was
/// thrown.
class Talk {
  public:
    explicit Talk(int patience) : conversation_(new_conversation(story, patience)) {}

    std::string next() {
        return say([&] { return conversation_->next(); });
    }
    std::string send(int value) {
        return say([&] { return conversation_->send(value); });
    }
    std::string throw_error() {
        const auto error = std::make_exception_ptr(std::runtime_error("ouch"));
        return say([&] { return conversation_->throw_(error); });
    }

    Story story;

  private:
    template <class Action>
    static std::string say(Action action) {
        try {
            const Said said = action();
            return said ? std::to_string(*said) : "end";
        } catch (const std::exception& error) {
            return error.what();
        }
    }

    std::unique_ptr<Conversation> conversation_;
};

} // namespace

TEST_CASE("talking works as before") {
    Talk talk(1);
    CHECK(talk.next() == "1");
    CHECK(talk.send(5) == "2");
    CHECK(talk.send(6) == "3");
    CHECK(talk.story.sum == 11);
}

TEST_CASE("the generator catches an error at its co_yield") {
    Talk talk(1);
    talk.next();
    const std::string said = talk.throw_error();
    REQUIRE_MESSAGE(said != "ouch", "the error came out of throw_. The generator would "
                                    "have caught the error, but never got to see it.");
    CHECK_MESSAGE(talk.story.caught == 1,
                  "the generator has caught nothing: its co_yield must throw when it is "
                  "resumed. Which function does a co_yield get its value from?");
    CHECK_MESSAGE(said == "2",
                  "the generator then yielded 2, but throw_ returned " << said);
}

TEST_CASE("an error is thrown once") {
    Talk talk(5);
    talk.next();
    talk.throw_error();
    const std::string said = talk.send(7);
    CHECK_MESSAGE(talk.story.caught == 1,
                  "the same error was thrown once more when a value was sent: it must be "
                  "taken out of the promise when it is thrown.");
    REQUIRE(said == "3");
    CHECK(talk.story.sum == 7);
}

TEST_CASE("an error that the generator does not catch leaves throw_") {
    Talk talk(0);
    talk.next();
    CHECK(talk.throw_error() == "ouch");
    CHECK(talk.next() == "end");
}

TEST_CASE("a generator that has not begun never runs") {
    Talk talk(1);
    const std::string said = talk.throw_error();
    CHECK_MESSAGE(talk.story.begun == 0,
                  "the generator had not begun, so there was no co_yield to throw from, "
                  "and yet its body has begun now.");
    CHECK_MESSAGE(
        said == "ouch",
        "the generator had not begun, so the error must come straight back, but throw_ "
        "returned "
            << said);
    CHECK(talk.next() == "end");
}

TEST_CASE("an error thrown into a generator that has ended comes straight back") {
    Talk talk(0);
    talk.next();
    talk.throw_error();
    const std::string said = talk.throw_error();
    CHECK_MESSAGE(
        said == "ouch",
        "the generator had ended, so the error must come straight back, but throw_ "
        "returned "
            << said);
}
