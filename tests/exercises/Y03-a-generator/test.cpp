// start fails in: a call runs nothing
// start fails with: a call has run the body
#include "generator.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using yours::Generator;

namespace {

/// What was told, for a message.
std::string said(const std::string& told) { return told.empty() ? "nothing" : told; }

using Conversation = Generator<int, std::string, std::string>;

/// Tells when it dies.
class Noted {
  public:
    Noted(std::string& told, std::string name) : told_(&told), name_(std::move(name)) {}
    Noted(Noted&& other) noexcept
        : told_(std::exchange(other.told_, nullptr)), name_(std::move(other.name_)) {}
    Noted& operator=(Noted&&) = delete;
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() {
        if (told_ != nullptr)
            *told_ += "~" + name_ + " ";
    }

  private:
    std::string* told_;
    std::string name_;
};

/// Yields 1, 2 and 3, and tells what it is sent. Its parameter dies with its frame.
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

/// One that can be let go before it dies. (make_unique would move it.)
std::unique_ptr<Conversation> new_conversation(std::string& told) {
    return std::unique_ptr<Conversation>(new Conversation(converse(told)));
}

/// What was yielded, in words.
std::string words(const std::optional<int>& yielded) {
    return yielded ? std::to_string(*yielded) : "nothing";
}

/// Whether the frame is still there when the body has ended.
bool frame_stays = false;

/// Opens a test whose generator runs to its end.
void needs_the_frame_at_the_end() {
    if (!frame_stays)
        FAIL("Left out: it would crash. First see to it that the frame outlives the "
             "body.");
}

} // namespace

TEST_CASE("a call runs nothing") {
    std::string told;
    [[maybe_unused]] const auto generator = converse(told);
    REQUIRE_MESSAGE(
        told.empty(),
        "a call has run the body: it must stop before its first line. It told: "
            << said(told));
}

TEST_CASE("next runs it up to the first co_yield") {
    std::string told;
    auto generator = converse(told);
    const std::optional<int> first = generator.next();
    REQUIRE_MESSAGE(
        told == "begins ",
        "next() resumes the frame, and the body begins. It told: " << said(told));
    REQUIRE_MESSAGE(first == 1,
                    "the body has yielded 1, and next() has returned " << words(
                        first) << ". How does what stands behind co_yield get there?");
    const std::optional<int> second = generator.next();
    CHECK_MESSAGE(second == 2,
                  "next() lets it go on, up to the next co_yield. It has returned "
                      << words(second));
}

TEST_CASE("what is sent is the value of the co_yield") {
    std::string told;
    auto generator = converse(told);
    REQUIRE(generator.next() == 1);
    const std::optional<int> second = generator.send("hello");
    CHECK_MESSAGE(
        told == "begins (hello) ",
        "\"hello\" was sent, so this is the value of the co_yield where it stood. What "
        "the awaiter's await_resume returns is that value. It told: "
            << said(told));
    CHECK_MESSAGE(second == 2,
                  "send returns what is yielded next, as next does. It has returned "
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

TEST_CASE("next has nothing to say") {
    auto generator = echo();
    REQUIRE(generator.next() == 0);
    REQUIRE(generator.send(5) == 5);
    const std::optional<int> heard = generator.next();
    CHECK_MESSAGE(heard == 0, "next() sends nothing, which is Send{}, here 0: not what "
                              "was sent the time before. The generator has heard "
                                  << words(heard));
}

// ---- Who owns the frame ----

TEST_CASE("the frame is destroyed with its generator") {
    std::string told;
    SUBCASE("if it has not begun") {
        {
            [[maybe_unused]] const auto generator = converse(told);
        }
        CHECK_MESSAGE(told == "~frame ", "the Generator is gone, and it owned the frame, "
                                         "which had not begun. Destroyed was: "
                                             << said(told));
    }
    SUBCASE("if it stands in the middle") {
        {
            auto generator = converse(told);
            generator.next();
        }
        CHECK_MESSAGE(told == "begins ~frame ",
                      "the Generator is gone, and it owned the frame, which stood in the "
                      "middle. Told was: "
                          << said(told));
    }
}

TEST_CASE("the frame outlives the body") {
    std::string told;
    auto generator = new_conversation(told);
    REQUIRE(generator->next() == 1);
    for (int i = 0; i < 3; ++i)
        generator->next();
    frame_stays = told == "begins () () () ends ";
    if (!frame_stays)
        static_cast<void>(generator.release()); // to destroy it now could crash
    REQUIRE_MESSAGE(frame_stays,
                    "when the body has ended, its frame is gone, and with it what was "
                    "returned, or thrown. It must stop once more, at its end. Told was: "
                        << said(told));
    generator.reset();
    CHECK_MESSAGE(
        told == "begins () () () ends ~frame ",
        "the Generator is gone, and it owned the frame, which had ended. Told was: "
            << said(told));
}

TEST_CASE("who has given the frame away owns nothing") {
    std::string told;
    auto first = new_conversation(told);
    auto second = std::make_unique<Conversation>(std::move(*first));
    first.reset();
    if (!told.empty())
        static_cast<void>(second.release()); // to destroy it now could crash
    REQUIRE_MESSAGE(told.empty(),
                    "one Generator was moved into another, and then died. It has "
                    "destroyed the frame, though that belongs to the other now.");
    CHECK_MESSAGE(second->next() == 1, "the frame moves with its Generator.");
    second.reset();
    CHECK_MESSAGE(told == "begins ~frame ",
                  "the frame is destroyed once. Told was: " << said(told));
}

namespace {

Conversation with_locals(std::string& told) {
    const Noted outer(told, "outer");
    const Noted inner(told, "inner");
    co_yield 1;
    co_return "";
}

} // namespace

TEST_CASE("what lives in the frame is destroyed with it") {
    std::string told;
    {
        auto generator = with_locals(told);
        REQUIRE(generator.next() == 1);
    }
    CHECK_MESSAGE(told == "~inner ~outer ",
                  "it stood in the middle, with two local variables. Destroyed were: "
                      << said(told));
}

// ---- The end ----

TEST_CASE("it yields nothing at its end, and has returned something") {
    needs_the_frame_at_the_end();
    std::string told;
    auto generator = converse(told);
    REQUIRE(generator.next() == 1);
    REQUIRE(generator.next() == 2);
    REQUIRE(generator.next() == 3);
    const std::optional<int> end = generator.next();
    REQUIRE_MESSAGE(
        !end, "it has ended, and yields "
                  << words(end)
                  << " once more: what was yielded must be taken out of the promise.");
    REQUIRE(told == "begins () () () ends ");
    CHECK_MESSAGE(generator.returned() == "goodbye",
                  "it has returned \"goodbye\", and returned() gives \""
                      << generator.returned() << "\"");
}

namespace {

Generator<int, int, int> fails_after(int yields) {
    for (int i = 0; i < yields; ++i)
        co_yield i;
    throw std::runtime_error("enough");
}

} // namespace

TEST_CASE("what leaves the body comes out of next") {
    needs_the_frame_at_the_end();
    for (const int yields : {0, 1}) {
        auto generator = fails_after(yields);
        std::string caught = "nothing";
        try {
            for (int i = 0; i <= yields; ++i)
                generator.next();
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        CHECK_MESSAGE(
            caught == "enough",
            "the body has thrown \"enough\". The error was lost: next() has thrown "
                << caught
                << ". The promise keeps what leaves the body, and whoever has resumed "
                   "the frame throws it on.");
    }
}

TEST_CASE("two of them don't know of each other") {
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
