#include "generator.h"
#include "tests/exercises/track/kit.h"

using track::Noted;
using track::Rain;
using track::said;
using yours::Generator;

namespace {

using Conversation = Generator<int, std::string, std::string>;

/// Yields 1, 2 and 3, and reports what it is sent. Its parameter is destroyed with its
/// frame.
Conversation converse(std::string& told, Noted /*parameter*/) {
    told += "begins ";
    for (int i = 1; i <= 3; ++i) {
        const std::string heard = co_yield i;
        told += "(" + heard + ") ";
    }
    told += "ends ";
    co_return "goodbye";
}

Conversation converse(std::string& told) { return converse(told, Noted(told, "frame")); }

/// A generator that can be destroyed early. (make_unique would move it.)
std::unique_ptr<Conversation> new_conversation(std::string& told) {
    return std::unique_ptr<Conversation>(new Conversation(converse(told)));
}

/// What was yielded, in words.
std::string words(const std::optional<int>& yielded) {
    return yielded ? std::to_string(*yielded) : "nothing";
}

/// Opens a test whose generator runs to its end: without the frame, it could crash.
void needs_the_frame_at_the_end() {
    std::string told;
    auto generator = new_conversation(told);
    for (int i = 0; i < 4; ++i)
        generator->next();
    const bool stays = told == "begins () () () ends ";
    if (!stays)
        static_cast<void>(generator.release()); // to destroy it now could crash
    REQUIRE_MESSAGE(stays,
                    "as soon as the body has ended, its frame is gone, and with it the "
                    "value that was returned or the exception that was thrown. The "
                    "coroutine must stop once more, at its end. Reported: "
                        << said(told));
}

} // namespace

TEST_CASE("V1: a call runs none of a generator; next runs it up to its first co_yield") {
    std::string told;
    auto generator = converse(told);
    REQUIRE_MESSAGE(
        told.empty(),
        "a call has run the body, which must stop before its first line. It reported: "
            << said(told));
    const std::optional<int> first = generator.next();
    REQUIRE_MESSAGE(
        told == "begins ",
        "next() resumes the frame, and the body begins. It reported: " << said(told));
    REQUIRE_MESSAGE(first == 1, "the body has yielded 1, and next() has returned "
                                    << words(first)
                                    << ". How does the value after co_yield get there?");
    const std::optional<int> second = generator.next();
    CHECK_MESSAGE(second == 2,
                  "next() resumes the body, up to the next co_yield. It has returned "
                      << words(second));
}

namespace {

/// Yields what it is sent, three times.
Generator<int, int, int> echo() {
    int heard = 0;
    for (int i = 0; i < 3; ++i)
        heard = co_yield heard;
    co_return heard;
}

} // namespace

TEST_CASE("V2: what is sent is the value of the co_yield where it is suspended") {
    auto generator = echo();
    REQUIRE(generator.next() == 0);
    const std::optional<int> heard = generator.send(5);
    REQUIRE_MESSAGE(heard == 5,
                    "5 was sent, so 5 is the value of the co_yield at which the "
                    "generator was suspended. That value is whatever the awaiter's "
                    "await_resume returns. This generator then yields the value that it "
                    "has received, and send returns the yielded value, as next does: "
                        << words(heard));
    const std::optional<int> nothing = generator.next();
    CHECK_MESSAGE(nothing == 0, "next() sends Send{}, here 0, and not the value that was "
                                "sent the last time. The generator received "
                                    << words(nothing));
}

// ---- Who owns the frame ----

TEST_CASE("V5: a frame is destroyed with its generator, wherever that is suspended") {
    std::string told;
    SUBCASE("if it has not begun") {
        {
            [[maybe_unused]] const auto generator = converse(told);
        }
        CHECK_MESSAGE(told == "~frame ", "the Generator is gone, and it owned the frame, "
                                         "which had not begun. Destroyed: "
                                             << said(told));
    }
    SUBCASE("if it is suspended halfway") {
        {
            auto generator = converse(told);
            generator.next();
        }
        CHECK_MESSAGE(told == "begins ~frame ",
                      "the Generator is gone, and it owned the frame, which was "
                      "suspended halfway. Reported: "
                          << said(told));
    }
    SUBCASE("if it has ended") {
        needs_the_frame_at_the_end();
        {
            auto generator = converse(told);
            for (int i = 0; i < 4; ++i)
                generator.next();
        }
        CHECK_MESSAGE(
            told == "begins () () () ends ~frame ",
            "the Generator is gone, and it owned the frame, which had ended. Reported: "
                << said(told));
    }
}

TEST_CASE("V6: a generator that was moved has one owner, and its frame is destroyed "
          "once") {
    std::string told;
    auto first = new_conversation(told);
    auto second = std::make_unique<Conversation>(std::move(*first));
    first.reset();
    if (!told.empty())
        static_cast<void>(second.release()); // to destroy it now could crash
    REQUIRE_MESSAGE(told.empty(),
                    "one Generator was moved into another and then destroyed. It has "
                    "destroyed the frame, although that belongs to the other now.");
    CHECK_MESSAGE(second->next() == 1, "the frame moves with its Generator.");
    second.reset();
    CHECK_MESSAGE(told == "begins ~frame ",
                  "the frame is destroyed once. Reported: " << said(told));
}

// ---- The end ----

TEST_CASE("V3: a generator that has ended yields nothing, and its return value is "
          "there") {
    needs_the_frame_at_the_end();
    std::string told;
    auto generator = converse(told);
    for (const int value : {1, 2, 3})
        REQUIRE(generator.next() == value);
    const std::optional<int> end = generator.next();
    REQUIRE_MESSAGE(!end,
                    "the generator has ended, and yields "
                        << words(end)
                        << " again: a yielded value must be taken out of the promise.");
    CHECK_MESSAGE(generator.returned() == "goodbye",
                  "the generator has returned \"goodbye\", and returned() gives \""
                      << generator.returned() << "\"");
}

namespace {

Generator<int, int, int> fails_after(int yields) {
    for (int i = 0; i < yields; ++i)
        co_yield i;
    throw Rain();
}

} // namespace

TEST_CASE("V4: an exception that leaves a generator's body leaves the call that resumed "
          "it") {
    needs_the_frame_at_the_end();
    for (const int yields : {0, 1}) {
        auto generator = fails_after(yields);
        std::string caught = "nothing";
        try {
            for (int i = 0; i <= yields; ++i)
                generator.next();
        } catch (const Rain& error) {
            caught = error.what();
        }
        CHECK_MESSAGE(
            caught == "it rains",
            "the body has thrown \"it rains\". The error was lost: next() has thrown "
                << caught
                << ". The promise keeps an exception that leaves the body, and the "
                   "function that resumed the frame rethrows it.");
    }
}

TEST_CASE("two generators are independent") {
    std::string told_one;
    std::string told_two;
    auto one = converse(told_one);
    auto two = converse(told_two);
    CHECK(one.next() == 1);
    CHECK(two.next() == 1);
    CHECK(one.send("a") == 2);
    CHECK(one.send("b") == 3);
    CHECK(two.send("c") == 2);
    CHECK(told_one == "begins (a) (b) ");
    CHECK(told_two == "begins (c) ");
}
