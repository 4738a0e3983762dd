#include "generator.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using yours::Generator;

namespace {

/// What was reported, for a message.
std::string said(const std::string& told) { return told.empty() ? "nothing" : told; }

using Conversation = Generator<int, std::string, std::string>;

/// Reports when it is destroyed.
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

/// Whether the frame is still there when the body has ended.
bool frame_stays = false;

/// Opens a test whose generator runs to its end.
void needs_the_frame_at_the_end() {
    if (!frame_stays)
        FAIL("Skipped, because it would crash: first make sure that the frame outlives "
             "the body.");
}

} // namespace

TEST_CASE("a call runs nothing") {
    std::string told;
    [[maybe_unused]] const auto generator = converse(told);
    REQUIRE_MESSAGE(
        told.empty(),
        "a call has run the body, which must stop before its first line. It reported: "
            << said(told));
}

TEST_CASE("next runs the body up to the first co_yield") {
    std::string told;
    auto generator = converse(told);
    const std::optional<int> first = generator.next();
    REQUIRE_MESSAGE(
        told == "begins ",
        "next() resumes the frame, and the body begins. It reported: " << said(told));
    REQUIRE_MESSAGE(first == 1, "the body has yielded 1, and next() has returned "
                                    << words(first)
                                    << ". How does the value after co_yield get there?");
    const std::optional<int> second = generator.next();
    CHECK_MESSAGE(second == 2,
                  "next() resumes it, up to the next co_yield. It has returned "
                      << words(second));
}

TEST_CASE("what is sent is the value of the co_yield") {
    std::string told;
    auto generator = converse(told);
    REQUIRE(generator.next() == 1);
    const std::optional<int> second = generator.send("hello");
    CHECK_MESSAGE(told == "begins (hello) ",
                  "\"hello\" was sent, so that is the value of the co_yield where it was "
                  "suspended: whatever the awaiter's await_resume returns. It reported: "
                      << said(told));
    CHECK_MESSAGE(
        second == 2,
        "send returns the next value that is yielded, as next does. It has returned "
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

TEST_CASE("next sends nothing") {
    auto generator = echo();
    REQUIRE(generator.next() == 0);
    REQUIRE(generator.send(5) == 5);
    const std::optional<int> heard = generator.next();
    CHECK_MESSAGE(heard == 0, "next() sends nothing, which is Send{}, here 0, and not "
                              "what was sent the last time. The generator received "
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
                    "returned or thrown. It must stop once more, at its end. Reported: "
                        << said(told));
    generator.reset();
    CHECK_MESSAGE(
        told == "begins () () () ends ~frame ",
        "the Generator is gone, and it owned the frame, which had ended. Reported: "
            << said(told));
}

TEST_CASE("a generator that has given its frame away owns nothing") {
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

namespace {

Conversation with_locals(std::string& told) {
    const Noted outer(told, "outer");
    const Noted inner(told, "inner");
    co_yield 1;
    co_return "";
}

} // namespace

TEST_CASE("local variables are destroyed with the frame") {
    std::string told;
    {
        auto generator = with_locals(told);
        REQUIRE(generator.next() == 1);
    }
    CHECK_MESSAGE(
        told == "~inner ~outer ",
        "it was suspended halfway, with two local variables. Destroyed: " << said(told));
}

// ---- The end ----

TEST_CASE("a generator that ends yields nothing and has returned a value") {
    needs_the_frame_at_the_end();
    std::string told;
    auto generator = converse(told);
    REQUIRE(generator.next() == 1);
    REQUIRE(generator.next() == 2);
    REQUIRE(generator.next() == 3);
    const std::optional<int> end = generator.next();
    REQUIRE_MESSAGE(!end,
                    "it has ended, and yields "
                        << words(end)
                        << " again: what was yielded must be taken out of the promise.");
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

TEST_CASE("next throws what leaves the body") {
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
                << ". The promise keeps what leaves the body, and the function that "
                   "resumed the frame rethrows it.");
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
